import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request to an ingress, below its socket. */
export async function inject(app: FastifyInstance, { method, url, headers, body }: Call): Promise<Answer> {
  const response = await app.inject({
    method,
    url,
    headers: {
      host: '127.0.0.1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, headers: response.headers, body: response.payload };
}

/** Adds what the requests of inject() lack in comparison with those of a socket. */
export function completeRequest({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const headers = Object.entries(raw.headers).map(([name, value]) => [name, [value].flat()]);
  Object.defineProperty(raw, 'headersDistinct', { value: Object.fromEntries(headers) });
  done();
}
