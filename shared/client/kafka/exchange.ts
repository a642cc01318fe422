/** One request message and its reply, matched by correlation id. */
import type { KafkaMessage, Producer } from 'kafkajs';
import { EngineError } from '../engine-error.ts';
import type { KafkaClientSystem } from './kafka-system.ts';
import { MESSAGE_HEADER } from './messages.ts';

export interface ExchangeOptions {
  /** Ends the wait; the call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call waits for its reply, in milliseconds; by default as set for the client. */
  readonly timeoutMs?: number | undefined;
  /** Id of the request, unique among those that wait; by default a new one. */
  readonly correlationId?: string | undefined;
}

export interface RequestToSend {
  readonly topic: string;
  readonly key: string;
  readonly value: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Exchanges {
  /**
   * Sends a message and resolves with its reply. Rejects with an {@link EngineError}: `timeout`, `unreachable` or `closed`;
   * or with the reason of the signal.
   */
  readonly exchange: (request: RequestToSend, options: ExchangeOptions) => Promise<KafkaMessage>;
  /** Sends a message that gets no reply. Rejects with code `unreachable` or `closed`. */
  readonly send: (request: RequestToSend, correlationId: string) => Promise<void>;
  /** Gives a reply to the call that waits for it; others are copies, or come too late. */
  readonly take: (message: KafkaMessage) => void;
  /** Makes all calls fail, those that wait and later ones. */
  readonly end: (code: 'closed' | 'unreachable', cause?: Error) => void;
}

interface Waiting {
  readonly resolve: (message: KafkaMessage) => void;
  readonly reject: (error: unknown) => void;
}

export function createExchanges(
  producer: Producer,
  {
    replyTopic,
    timeoutMs: usualTimeoutMs,
    system,
  }: { readonly replyTopic: string; readonly timeoutMs: number; readonly system: KafkaClientSystem },
): Exchanges {
  const waiting = new Map<string, Waiting>();
  let ended: { readonly code: 'closed' | 'unreachable'; readonly cause: Error | undefined } | undefined;
  const refuseIfEnded = (correlationId: string): void => {
    if (ended !== undefined) throw endError(ended, correlationId);
  };
  const send: Exchanges['send'] = async ({ topic, ...message }, correlationId) => {
    refuseIfEnded(correlationId);
    try {
      await producer.send({ topic, acks: -1, messages: [{ ...message, headers: { ...message.headers } }] });
    } catch (error) {
      const text = `The message was not sent: ${(error as Error).message}`;
      throw new EngineError(text, { code: 'unreachable', correlationId, attempts: 1, cause: error });
    }
  };
  return {
    send,
    exchange: async (request, { signal, timeoutMs = usualTimeoutMs, correlationId = system.newUuid() }) => {
      refuseIfEnded(correlationId);
      signal?.throwIfAborted();
      if (waiting.has(correlationId))
        throw new TypeError(`a request with the id ${correlationId} is waiting`);
      const { promise, resolve, reject } = Promise.withResolvers<KafkaMessage>();
      const abort = (): void => reject(signal?.reason);
      const cancelTimer = system.startTimer(timeoutMs, () =>
        reject(
          new EngineError(`No reply within ${timeoutMs} ms`, { code: 'timeout', correlationId, attempts: 1 }),
        ),
      );
      signal?.addEventListener('abort', abort, { once: true });
      waiting.set(correlationId, { resolve, reject });
      const headers = {
        ...request.headers,
        [MESSAGE_HEADER.correlationId]: correlationId,
        [MESSAGE_HEADER.replyTopic]: replyTopic,
      };
      send({ ...request, headers }, correlationId).catch(reject);
      try {
        return await promise;
      } finally {
        cancelTimer();
        signal?.removeEventListener('abort', abort);
        waiting.delete(correlationId);
      }
    },
    take: (message) => waiting.get(String(message.headers?.[MESSAGE_HEADER.correlationId]))?.resolve(message),
    end: (code, cause) => {
      ended ??= { code, cause };
      for (const [correlationId, { reject }] of waiting) reject(endError(ended, correlationId));
    },
  };
}

function endError(
  { code, cause }: { readonly code: 'closed' | 'unreachable'; readonly cause: Error | undefined },
  correlationId: string,
): EngineError {
  const text =
    code === 'closed' ? 'The client is closed' : `Replies can no longer be read: ${cause?.message}`;
  return new EngineError(text, { code, correlationId, attempts: 0, cause });
}
