import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogMessage, OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { PacedPublisher } from '../../../../workers/notification/ledger/paced-publisher.ts';
import { ReadBack } from '../../../../workers/notification/ledger/read-back.ts';
import { SendGate } from '../../../../workers/notification/delivery/send-gate.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';
import { scriptedProviders } from '../../../support/fakes/scripted-providers.ts';

const record = (key: string): OutgoingMessage => ({ topic: 'states', key, value: Buffer.from(key) });
const lost = new MessagingError('not-sent', 'away', { canRetry: true });
const echoOf = (message: OutgoingMessage | undefined): LogMessage =>
  fakeMessage(0, { headers: message?.headers ?? {} });

/** Providers that serve so many calls side by side; undefined: any number. */
const of = (...concurrency: (number | undefined)[]) => {
  const set = scriptedProviders();
  for (const [index, most] of concurrency.entries())
    set.add(String(index), most === undefined ? {} : { concurrency: most });
  return set.list;
};

describe('writing in short intervals', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('one request carries what is published within one interval; after a pause it goes at once', async () => {
    const inner = new FakePublisher();
    const requests: number[] = [];
    inner.onPublish = async (messages) => void requests.push(messages.length);
    const paced = new PacedPublisher(inner, 10);
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

  it('a failure is that of every call in the request, and the next request is not affected', async () => {
    const inner = new FakePublisher();
    inner.onPublish = () => Promise.reject(lost);
    const paced = new PacedPublisher(inner, 10);
    const calls = Promise.allSettled([paced.publish([record('a')]), paced.publish([record('b')])]);
    await vi.advanceTimersByTimeAsync(0);
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    inner.onPublish = () => Promise.resolve();
    const again = paced.publish([record('c')]);
    await vi.advanceTimersByTimeAsync(10);
    await expect(again).resolves.toBeUndefined();
  });

  it('a stop sends what waits', async () => {
    const inner = new FakePublisher();
    const paced = new PacedPublisher(inner, 10_000);
    void paced.publish([record('a')]);
    await vi.advanceTimersByTimeAsync(0);
    void paced.publish([record('b')]);
    await paced.stop();
    expect(inner.sent.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});

describe('reading back what was written', () => {
  it('is over when the record was read, not before', async () => {
    const publisher = new FakePublisher();
    const readBack = new ReadBack(publisher, 'self');
    let isOver = false;
    const written = readBack.write(record('a')).then(() => (isOver = true));
    await settleMicrotasks();
    readBack.seen(fakeMessage(0));
    readBack.seen(echoOf({ ...record('a'), headers: { 'plat-write': 'another/1' } }));
    await settleMicrotasks();
    expect(isOver).toBe(false);
    readBack.seen(echoOf(publisher.sent[0]));
    await written;
    expect(isOver).toBe(true);
  });

  it('may be read before the broker has answered', async () => {
    const publisher = new FakePublisher();
    const readBack = new ReadBack(publisher, 'self');
    publisher.onPublish = async ([message]) => readBack.seen(echoOf(message));
    await expect(readBack.write(record('a'))).resolves.toBeUndefined();
  });

  it('rejects as lost infrastructure when it is not read in time, or cannot be written', async () => {
    const publisher = new FakePublisher();
    await expect(new ReadBack(publisher, 'self', 10).write(record('a'))).rejects.toMatchObject({
      code: 'read-back-late',
      canRetry: true,
    });
    publisher.onPublish = () => Promise.reject(lost);
    await expect(new ReadBack(publisher, 'self', 10).write(record('a'))).rejects.toBe(lost);
  });
});

describe('the gate before the providers', () => {
  const never = new AbortController().signal;
  it('lets as many in as the largest provider can serve, three times, and then one for each that leaves, in turn', async () => {
    const gate = new SendGate();
    const providers = of(1, 2);
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(() => gate.enter(providers, 1_000, never)))).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await gate.enter(providers, 1_000, never);
      order.push(name);
    });
    await settleMicrotasks();
    expect(order).toEqual([]);
    gate.leave(providers);
    // Whoever comes now comes after those who wait.
    const late = gate.enter(providers, 1_000, never).then(() => order.push('late'));
    await settleMicrotasks();
    expect(order).toEqual(['first']);
    gate.leave(providers);
    gate.leave(providers);
    await Promise.all([...waiting, late]);
    expect(order).toEqual(['first', 'second', 'late']);
  });

  it('does not bound what can serve any number, nor the wait for a provider', async () => {
    for (const providers of [of(undefined, 1), of()]) {
      const gate = new SendGate();
      const entered = await Promise.all(Array.from({ length: 100 }, () => gate.enter(providers, 1, never)));
      expect(entered.every(Boolean)).toBe(true);
    }
  });

  it('is left by whoever waited too long or is told to stop, without a place', async () => {
    const gate = new SendGate();
    const providers = of(1);
    await Promise.all([1, 2, 3].map(() => gate.enter(providers, 1, never)));
    expect(await gate.enter(providers, 5, never)).toBe(false);
    const stop = new AbortController();
    const told = gate.enter(providers, 60_000, stop.signal);
    stop.abort();
    expect(await told).toBe(false);
    expect(await gate.enter(providers, 60_000, stop.signal)).toBe(false);
    gate.leave(providers);
    expect(await gate.enter(providers, 1, never)).toBe(true);
  });
});
