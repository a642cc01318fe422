import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Timers } from '../../../shared/platform/system-ports.ts';

/** Reading back takes milliseconds. If it takes this long, the reader of the topic has failed. */
const READ_BACK_MS = 5_000;

/** Writes records and waits until they are read back, and with them all earlier records of their partition. */
export function createReadBack(publisher: Publisher, self: string, timers: Timers) {
  const waiting = new Map<string, () => void>();
  let count = 0;
  return {
    /** Resolves when the record has been read. After a transient failure the record may still be on the log. */
    write: async (message: OutgoingMessage): Promise<void> => {
      count += 1;
      const mark = `${self}/${count}`;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let cancelTimeout: (() => void) | undefined;
      waiting.set(mark, resolve);
      try {
        await publisher.publish([{ ...message, headers: { ...message.headers, [HEADER.write]: mark } }]);
        cancelTimeout = timers.schedule(() => {
          const text = `a record written to ${message.topic} was not read back in time`;
          reject(new InfrastructureError('read-back-late', text));
        }, READ_BACK_MS);
        await promise;
      } finally {
        cancelTimeout?.();
        waiting.delete(mark);
      }
    },
    /** Must be called with each record of the topic after the record was applied. */
    seen: ({ headers }: LogMessage): void => {
      const mark = waiting.size === 0 ? undefined : headerText(headers, HEADER.write);
      if (mark !== undefined) waiting.get(mark)?.();
    },
  };
}

export type ReadBack = ReturnType<typeof createReadBack>;
