import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProductDirectory } from '../../../../shared/catalogue/product-directory.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createProductDesk } from '../../../../workers/ingress/operations/product-desk.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';
import { catalogueCodec } from '../../../support/worlds/catalogue-world.ts';

const MINUTE_MS = 60_000;

/** A desk over tails of the test; `onCaughtUp` says when each has read its topic. */
function openDesk(onCaughtUp: (number: number) => Promise<void> = () => Promise.resolve()) {
  const tails: FakeTail[] = [];
  const desk = createProductDesk({
    ...systemPorts,
    codec: catalogueCodec(),
    log: silentLog,
    options: { topicPrefix: '' },
    broker: {
      admin: { partitionCounts: (topics) => Promise.resolve(new Map(topics.map((topic) => [topic, 1]))) },
      createTail: (options) => {
        const tail = new FakeTail(options);
        tail.onCaughtUp = () => onCaughtUp(tails.length);
        tails.push(tail);
        return tail;
      },
    },
  });
  return { desk, tails };
}

describe('the catalogue of an ingress', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is read by the first call, once for all calls, and forgotten after 15 minutes without one', async () => {
    const { desk, tails } = openDesk();
    expect(tails).toHaveLength(0);
    const [first, second] = await Promise.all([desk.directory(), desk.directory()]);
    expect(first).toBeInstanceOf(ProductDirectory);
    expect(second).toBe(first);
    await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
    expect(await desk.directory()).toBe(first);
    await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([0]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
    expect(await desk.directory()).not.toBe(first);
    expect(tails).toHaveLength(2);
  });

  it('that takes long to read is waited for by each call for ten seconds', async () => {
    const { promise: isRead, resolve } = Promise.withResolvers<void>();
    const { desk, tails } = openDesk(() => isRead);
    const first = desk.directory();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBe('reading');
    const second = desk.directory();
    resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(await second).toBeInstanceOf(ProductDirectory);
    expect(tails).toHaveLength(1);
  });

  it('that could not be read is read again by the next call', async () => {
    const away = new MessagingError('tail-behind', 'away', { canRetry: true });
    const { desk, tails } = openDesk((number) => (number === 1 ? Promise.reject(away) : Promise.resolve()));
    await expect(desk.directory()).rejects.toBe(away);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
    expect(await desk.directory()).toBeInstanceOf(ProductDirectory);
  });

  it('that fails while no call waits is read again too', async () => {
    const away = new MessagingError('tail-behind', 'away', { canRetry: true });
    const { promise: fails, reject } = Promise.withResolvers<void>();
    const { desk, tails } = openDesk((number) => (number === 1 ? fails : Promise.resolve()));
    const first = desk.directory();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBe('reading');
    reject(away);
    await vi.advanceTimersByTimeAsync(0);
    expect(await desk.directory()).toBeInstanceOf(ProductDirectory);
    expect(tails).toHaveLength(2);
  });

  it('is no longer read after the stop of the instance', async () => {
    const { desk, tails } = openDesk();
    await desk.directory();
    await desk.stop();
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
  });
});
