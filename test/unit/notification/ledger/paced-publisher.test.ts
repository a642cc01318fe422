import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { PacedPublisher } from '../../../../workers/notification/ledger/paced-publisher.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';

const record = (key: string): OutgoingMessage => ({ topic: 'states', key, value: Buffer.from(key) });
const lost = new MessagingError('not-sent', 'away', { canRetry: true });

describe('the paced publisher', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('batches records of one interval into one request, which is sent immediately after a pause', async () => {
    const inner = new FakePublisher();
    const requests: number[] = [];
    inner.onPublish = async (messages) => void requests.push(messages.length);
    const paced = new PacedPublisher(inner, systemPorts);
    const first = Promise.all([paced.publish([record('a')]), paced.publish([record('b'), record('c')])]);
    await vi.advanceTimersByTimeAsync(0);
    await first;
    const second = paced.publish([record('d')]);
    await vi.advanceTimersByTimeAsync(5);
    void paced.publish([record('e')]);
    expect(requests).toEqual([3]);
    await vi.advanceTimersByTimeAsync(10);
    await second;
    expect(requests).toEqual([3, 2]);
    expect(inner.sent.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('rejects all calls of a failed request without affecting the next request', async () => {
    const inner = new FakePublisher();
    inner.onPublish = () => Promise.reject(lost);
    const paced = new PacedPublisher(inner, systemPorts);
    const calls = Promise.allSettled([paced.publish([record('a')]), paced.publish([record('b')])]);
    await vi.advanceTimersByTimeAsync(0);
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    inner.onPublish = () => Promise.resolve();
    const again = paced.publish([record('c')]);
    await vi.advanceTimersByTimeAsync(10);
    await expect(again).resolves.toBeUndefined();
  });

  it('sends a full request without waiting for the rest of the interval', async () => {
    const inner = new FakePublisher();
    const requests: number[] = [];
    inner.onPublish = async (messages) => void requests.push(messages.length);
    const paced = new PacedPublisher(inner, systemPorts);
    void paced.publish([record('first')]);
    await vi.advanceTimersByTimeAsync(1);
    const many = Array.from({ length: 40 }, (_, at) => paced.publish([record(`${at}`)]));
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(many);
    expect(requests).toEqual([1, 40]);
  });

  it('waits as long between two requests as both took, if that is more than the interval, full or not', async () => {
    const { paced, startedMs } = slowPublisher([30, 30, 30, 30]);
    for (const key of ['a', 'b', 'c']) {
      void paced.publish([record(key)]);
      await vi.advanceTimersByTimeAsync(31);
    }
    void paced.publish(Array.from({ length: 100 }, (_, at) => record(`${at}`)));
    await vi.advanceTimersByTimeAsync(100);
    // From the second duration on, the next request is sent two durations after the start of the former.
    expect(startedMs()).toEqual([0, 31, 91, 151]);
  });

  it('does not wait longer after a single slow request', async () => {
    const { paced, startedMs } = slowPublisher([2, 80, 2, 2]);
    for (const key of ['a', 'b', 'c', 'd']) {
      void paced.publish([record(key)]);
      await vi.advanceTimersByTimeAsync(90);
    }
    expect(startedMs()).toEqual([0, 90, 180, 270]);
  });

  it('sends pending records when it is stopped', async () => {
    const inner = new FakePublisher();
    const paced = new PacedPublisher(inner, systemPorts);
    void paced.publish([record('a')]);
    await vi.advanceTimersByTimeAsync(0);
    void paced.publish([record('b')]);
    await paced.stop();
    expect(inner.sent.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});

/** A paced publisher whose requests take these times, and when they started, from the first one on. */
function slowPublisher(durationsMs: readonly number[]) {
  const inner = new FakePublisher();
  const starts: number[] = [];
  inner.onPublish = () => {
    const durationMs = durationsMs[starts.length] ?? 0;
    starts.push(Date.now());
    return new Promise((resolve) => setTimeout(resolve, durationMs));
  };
  const startedMs = (): readonly number[] => starts.map((at) => at - (starts[0] ?? 0));
  return { paced: new PacedPublisher(inner, systemPorts), startedMs };
}
