import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startConsumer } from '../../../../../../shared/messaging/kafka/common/consuming/consumer-start.ts';
import { toMessagingError } from '../../../../../../shared/messaging/kafka/common/connection/errors.ts';

const LONGER_THAN_A_SESSION_MS = 10_000;
const LONGER_THAN_LIMIT_MS = 46_000;

/** Creates runs that fail to start with this error until the given time. */
function runsThatFail(error: Error, untilMs: number) {
  const runs = { count: 0 };
  const makeRun = async (): Promise<void> => {
    runs.count += 1;
    if (Date.now() < untilMs) throw toMessagingError('consumer c', error);
  };
  return { runs, makeRun };
}

const refusedConnection = (): Error =>
  Object.assign(new Error('Connection error: connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

const unknownTopic = (): Error =>
  Object.assign(new Error('This server does not host this topic-partition'), {
    type: 'UNKNOWN_TOPIC_OR_PARTITION',
  });

describe('startConsumer()', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('retries until a dead coordinator is replaced', async () => {
    const { runs, makeRun } = runsThatFail(refusedConnection(), LONGER_THAN_A_SESSION_MS);
    const started = startConsumer(makeRun, () => false);
    await vi.advanceTimersByTimeAsync(LONGER_THAN_A_SESSION_MS);
    await started;
    expect(runs.count).toBeGreaterThan(1);
  });

  it('rejects with the last error if no broker becomes available', async () => {
    const { makeRun } = runsThatFail(refusedConnection(), Number.POSITIVE_INFINITY);
    const started = startConsumer(makeRun, () => false);
    started.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(LONGER_THAN_LIMIT_MS);
    await expect(started).rejects.toMatchObject({
      code: 'broker-unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('retries while a broker does not know a new topic yet', async () => {
    const { runs, makeRun } = runsThatFail(unknownTopic(), 1_500);
    const started = startConsumer(makeRun, () => false);
    await vi.advanceTimersByTimeAsync(2_000);
    await started;
    expect(runs.count).toBeGreaterThan(1);
  });

  it('rejects with topic-unknown if the topic does not appear in time', async () => {
    const { makeRun } = runsThatFail(unknownTopic(), Number.POSITIVE_INFINITY);
    const started = startConsumer(makeRun, () => false);
    started.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(LONGER_THAN_LIMIT_MS);
    await expect(started).rejects.toMatchObject({ code: 'topic-unknown' });
  });

  it('does not create another run if it is stopped between two attempts', async () => {
    const { runs, makeRun } = runsThatFail(unknownTopic(), 100);
    let isStopped = false;
    const started = startConsumer(makeRun, () => isStopped);
    started.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(50);
    isStopped = true;
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(started).rejects.toMatchObject({ code: 'topic-unknown' });
    expect(runs.count).toBe(1);
  });

  it('does not retry a permanent failure, or after it was stopped', async () => {
    const refusal = Object.assign(new Error('no'), { type: 'GROUP_AUTHORIZATION_FAILED' });
    const refused = runsThatFail(refusal, Number.POSITIVE_INFINITY);
    await expect(startConsumer(refused.makeRun, () => false)).rejects.toMatchObject({
      code: 'broker-refused',
    });
    const stopped = runsThatFail(refusedConnection(), Number.POSITIVE_INFINITY);
    await expect(startConsumer(stopped.makeRun, () => true)).rejects.toMatchObject({
      code: 'broker-unavailable',
    });
    expect([refused.runs.count, stopped.runs.count]).toEqual([1, 1]);
  });
});
