import { Agent, request } from 'node:http';

/** The outcome of one HTTP call. */
export type CallEnd =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly correlationId: string | undefined;
      readonly body: string;
    }
  /** The connection failed, so nothing was sent. */
  | { readonly kind: 'unconnected' }
  /** The connection ended before the response started, so only the log shows whether the request was accepted. */
  | { readonly kind: 'cut'; readonly reason: string }
  /** The connection ended within a response, or the call timed out. */
  | { readonly kind: 'broken'; readonly reason: string };

/** An HTTP client with keep-alive connections, like an upstream system. */
export interface HttpCaller {
  post(url: string, body: string, correlationId: string): Promise<CallEnd>;
  close(): void;
}

/** Longer than any reply may take; a later reply counts as lost. */
const CALL_LIMIT_MS = 20_000;
const CONNECTIONS = 32;

export function createHttpCaller(): HttpCaller {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
  return {
    post: (url, body, correlationId) =>
      new Promise((resolve) => {
        const call = request(url, {
          agent,
          method: 'POST',
          timeout: CALL_LIMIT_MS,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'x-correlation-id': correlationId,
          },
        });
        call.on('timeout', () => call.destroy(new Error('response timed out')));
        call.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED') resolve({ kind: 'unconnected' });
          else if (error.code === undefined) resolve({ kind: 'broken', reason: error.message });
          else resolve({ kind: 'cut', reason: `${error.code} ${call.reusedSocket ? 'reused' : 'new'}` });
        });
        call.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', (error) => resolve({ kind: 'broken', reason: error.message }));
          response.on('end', () => {
            const { 'retry-after': retryAfter, 'x-correlation-id': answered } = response.headers;
            resolve({
              kind: 'answer',
              status: response.statusCode ?? 0,
              retryAfter,
              correlationId: typeof answered === 'string' ? answered : undefined,
              body: Buffer.concat(chunks).toString('utf8'),
            });
          });
        });
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
}
