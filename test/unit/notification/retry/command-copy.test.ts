import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../../../shared/messaging/message.ts';
import type { AttemptRecord } from '../../../../shared/notification/notification-state.ts';
import { addAttempts, readAttempts } from '../../../../shared/notification/attempt-history.ts';
import {
  deadCopy,
  readCopy,
  retryCopy,
  withLoggedAttempts,
} from '../../../../workers/notification/retry/command-copy.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const ID = '0b1f2f2e-6f5a-4c59-8a8e-0d6a1d0c7a11';
const ORIGIN = 1_700_000_000_000;
const copyOf = (headers: MessageHeaders = {}, payloadId?: string) =>
  readCopy(fakeMessage(7, { headers, timestampMs: ORIGIN + 5_000 }), ORIGIN, payloadId);
const attempt = (number: number, result: AttemptRecord['result'] = 'transient'): AttemptRecord => ({
  attempt: number,
  at: ORIGIN,
  provider: 'first',
  result,
  code: 'busy',
  ...(result === 'unknown' ? { repeatableBy: 'first' } : {}),
});

describe('a copy of a command', () => {
  it('has the id of the command, or that of its header, or one derived from its offset', () => {
    expect(copyOf({ [HEADER.notificationId]: 'x' }, ID.toUpperCase()).id).toBe(ID);
    expect(copyOf({ [HEADER.notificationId]: ID }).id).toBe(ID);
    expect(copyOf({ [HEADER.notificationId]: ID.toUpperCase() }, 'no uuid').id).toBe(ID);
    const placed = copyOf();
    expect(copyOf({ [HEADER.notificationId]: 'no uuid' }).id).toBe(placed.id);
    expect(readCopy(fakeMessage(8), ORIGIN, undefined).id).not.toBe(placed.id);
  });

  it('carries id, attempt, due time, origin, history and the other headers to a retry tier', () => {
    const history = { [HEADER.attemptHistory]: JSON.stringify([attempt(1)]) };
    const copy = copyOf({ other: 'kept', [HEADER.dueAt]: '1', ...history }, ID);
    const next = { topic: 'tier', attempt: 2, dueAtMs: ORIGIN + 9, attempts: [attempt(2)] };
    const { topic, key, value, headers } = retryCopy(copy, next);
    expect([topic, key, value]).toEqual(['tier', copy.message.key, copy.message.value]);
    expect(headers).toEqual({
      other: 'kept',
      [HEADER.notificationId]: ID,
      [HEADER.attempt]: '2',
      [HEADER.originTimestamp]: String(ORIGIN),
      [HEADER.attemptHistory]: JSON.stringify([attempt(1), attempt(2)]),
      [HEADER.dueAt]: String(ORIGIN + 9),
      [HEADER.retryTopic]: copy.message.topic,
      [HEADER.retryPartition]: '0',
    });
  });

  it.each([
    ['its original was written', {}, ORIGIN],
    ['it was redriven', { [HEADER.redriveCount]: '1' }, ORIGIN + 5_000],
    ['its header says', { [HEADER.redriveCount]: '1', [HEADER.timeLimitFrom]: '17' }, 17],
  ])('has a time limit from when %s, which its next copy keeps', (_, headers, fromMs) => {
    const copy = copyOf(headers);
    expect(copy.timeLimitFromMs).toBe(fromMs);
    const next = retryCopy(copy, { topic: 'tier', attempt: 2, dueAtMs: 0, attempts: [] });
    expect(next.headers?.[HEADER.timeLimitFrom]).toBe(fromMs === ORIGIN ? undefined : String(fromMs));
  });

  it('has the unknown outcomes that only the log has', () => {
    const history = JSON.stringify([attempt(1, 'unknown')]);
    const copy = copyOf({ [HEADER.attempt]: '4', [HEADER.attemptHistory]: history });
    const known = { status: 'retrying', attempt: 3, attempts: [attempt(1, 'unknown'), attempt(2)] } as const;
    expect(withLoggedAttempts(copy, known, 0)).toBe(copy);
    const more = { ...known, attempts: [...known.attempts, attempt(2, 'unknown')] };
    expect(withLoggedAttempts(copy, more, 0).history.map((one) => one.attempt)).toEqual([2, 1]);
    const parked = { status: 'parked', attempt: 3, code: 'timeout' } as const;
    expect(withLoggedAttempts(copyOf(), parked, 7).history).toEqual([
      { attempt: 3, at: 7, provider: '-', result: 'unknown', code: 'timeout' },
    ]);
    expect(withLoggedAttempts(copyOf(), { ...parked, status: 'failed' }, 7).history).toEqual([]);
  });

  it.each(['3000000000', '2147483647', '-1', 'two'])('is an original if its attempt is %s', (text) => {
    expect(copyOf({ [HEADER.attempt]: text })).toMatchObject({ attempt: 1, isOriginal: true });
  });

  it('omits the permission for a second send and the time limit in its dead letter', () => {
    const kept = { [HEADER.redriveCount]: '1', [HEADER.attempt]: '4' };
    const copy = copyOf({ [HEADER.redriveUnknown]: 'true', ...kept }, ID);
    expect(copy).toMatchObject({ redriveUnknown: true, attempt: 4, isOriginal: false });
    const { headers } = deadCopy(copy, [attempt(4)]);
    expect(headers[HEADER.redriveUnknown]).toBeUndefined();
    expect(headers[HEADER.timeLimitFrom]).toBeUndefined();
    expect(headers).toMatchObject({ ...kept, [HEADER.notificationId]: ID });
  });
});

describe('the attempt history', () => {
  it('keeps at most 20 attempts, newest last, including an unknown outcome', () => {
    const many = Array.from({ length: 30 }, (_, index) => attempt(index));
    expect(addAttempts(many, [attempt(30)]).map((one) => one.attempt)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 11),
    );
    const kept = addAttempts([attempt(0, 'unknown'), ...many], []);
    expect(kept).toHaveLength(20);
    expect(kept[0]?.result).toBe('unknown');
  });

  it('drops attempts with an unknown outcome last, and keeps the order', () => {
    const all = Array.from({ length: 30 }, (_, index) =>
      attempt(index, index % 10 === 0 ? 'unknown' : 'transient'),
    );
    const kept = addAttempts(all, []);
    expect(kept).toHaveLength(20);
    expect(kept.filter(({ result }) => result === 'unknown').map((one) => one.attempt)).toEqual([0, 10, 20]);
    expect(kept.at(-1)?.attempt).toBe(29);
    const unknown = Array.from({ length: 30 }, (_, index) => attempt(index, 'unknown'));
    expect(addAttempts(unknown, [attempt(30)])).toEqual(unknown.slice(0, 20));
  });

  it('is empty if the header is invalid', () => {
    for (const text of [
      undefined,
      '',
      '{',
      '{}',
      '[1,null,{"attempt":1}]',
      '[{"attempt":1,"at":2,"provider":"p","result":"lost"}]',
      // What does not fit a record of the delivery log.
      JSON.stringify([0, 2 ** 31 - 1, 3_000_000_000].map((number) => attempt(number))),
      JSON.stringify([{ ...attempt(1), provider: 'p'.repeat(129) }]),
      JSON.stringify([{ ...attempt(1), code: 'c'.repeat(129) }]),
      JSON.stringify([{ ...attempt(1), repeatableBy: '\ud800' }]),
    ]) {
      expect(readAttempts(text)).toEqual([]);
    }
    const longest = { ...attempt(2 ** 31 - 2), provider: 'p'.repeat(128) };
    expect(readAttempts(JSON.stringify([attempt(1), longest]))).toEqual([attempt(1), longest]);
  });
});
