import type { Request } from '../../../shared/messaging/handler/request.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';

export const FAKE_TOPIC = 'requests';

export function fakeMessage(
  offset: number,
  overrides: Partial<Omit<LogMessage, 'key'>> & { key?: string | null } = {},
): LogMessage {
  const { key = `key-${offset}`, ...rest } = overrides;
  return {
    topic: FAKE_TOPIC,
    partition: 0,
    offset,
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(`value-${offset}`),
    headers: {},
    timestampMs: 1_700_000_000_000 + offset,
    ...rest,
  };
}

export function fakeMessages(
  from: number,
  to: number,
  overrides: Parameters<typeof fakeMessage>[1] = {},
): LogMessage[] {
  return Array.from({ length: to - from + 1 }, (_, index) => fakeMessage(from + index, overrides));
}

/** A request in Avro, as its handler gets it, with changes. */
export const fakeRequest = (changes: Partial<Request> = {}): Request => ({
  correlationId: undefined,
  originTimestampMs: 0,
  deadlineMs: undefined,
  attempt: 1,
  signal: new AbortController().signal,
  message: fakeMessage(0),
  format: 'avro',
  isBatchItem: false,
  ...changes,
});
