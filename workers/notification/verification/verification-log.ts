import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import type { VerificationCodes } from '../../../shared/notification/verification-codes.ts';
import {
  Verifications,
  type Verification,
  type VerificationEvent,
} from '../../../shared/notification/verification.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Timers } from '../../../shared/platform/system-ports.ts';
import { createReadBack } from '../state/read-back.ts';

/** Time limit for reading the topic at the start. */
const FIRST_READ_MS = 60_000;
/** Time limit for catching up with the topic (normally milliseconds). */
const CATCH_UP_MS = 5_000;

export type VerificationLog = ReturnType<typeof createVerificationLog>;

export interface LogOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly publisher: Publisher;
  readonly topic: string;
  readonly self: string;
  readonly codes: VerificationCodes;
  readonly timers: Timers;
  readonly log: Log;
}

/** The events of all verifications, which every process follows (N10). What counts is their order on the log. */
export function createVerificationLog(options: LogOptions) {
  const { broker, publisher, topic, self, timers, log } = options;
  const tail = broker.createTail({
    clientId: 'notification-verifications',
    topics: [topic],
    from: 'earliest',
  });
  const all = new Verifications(options.codes);
  const readBack = createReadBack(publisher, `${self}/verification`, timers);
  const read = (message: LogMessage): void => {
    try {
      all.apply(readEvent(message));
    } catch {
      const { partition, offset } = message;
      log.warn({ topic, partition, offset }, 'an event of a verification was skipped');
    }
    readBack.seen(message);
  };
  return {
    known: all.known as ReadonlyMap<string, Verification>,
    hasRoom: (caller: string, nowMs: number): boolean => all.hasRoom(caller, nowMs),
    /** Resolves when the event was read back, and with it all earlier events of the verification. */
    write: (event: VerificationEvent): Promise<void> =>
      readBack.write({ topic, key: event.id, value: Buffer.from(JSON.stringify(event)), headers: {} }),
    /** Resolves when all events now on the topic are read. */
    caughtUp: (): Promise<void> => tail.caughtUp(CATCH_UP_MS),
    start: async (): Promise<void> => {
      await tail.start(read);
      await tail.caughtUp(FIRST_READ_MS);
    },
    health: (): Health =>
      tail.isReady() ? { status: 'ready' } : { status: 'degraded', reason: `${topic} is not being read` },
    stop: (timeoutMs: number): Promise<void> => tail.stop(timeoutMs),
  };
}

function readEvent({ key, value }: LogMessage): VerificationEvent {
  const event = JSON.parse(value?.toString() ?? '') as Partial<VerificationEvent>;
  const isWhole =
    typeof event.kind === 'string' && typeof event.request === 'string' && Number.isInteger(event.at);
  if (!isWhole || event.id !== key?.toString()) throw new TypeError('it is not an event');
  return event as VerificationEvent;
}
