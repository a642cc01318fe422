import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProductDirectory } from '../../../../shared/catalogue/product-directory.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createOnDemandCatalogue } from '../../../../workers/ingress/operations/on-demand-catalogue.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';
import { catalogueCodec } from '../../../support/worlds/catalogue-world.ts';

const MINUTE_MS = 60_000;

/** A catalogue over tails of the test; `onCaughtUp` says when each has read its topic. */
function openCatalogue(onCaughtUp: (number: number) => Promise<void> = () => Promise.resolve()) {
  const tails: FakeTail[] = [];
  const catalogue = createOnDemandCatalogue({
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
  return { catalogue, tails };
}

describe('the catalogue of an ingress', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is read by the first call, once for all calls, and forgotten after 15 minutes without one', async () => {
    const { catalogue, tails } = openCatalogue();
    expect(tails).toHaveLength(0);
    const [first, second] = await Promise.all([catalogue.directory(), catalogue.directory()]);
    expect(first).toBeInstanceOf(ProductDirectory);
    expect(second).toBe(first);
    await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
    expect(await catalogue.directory()).toBe(first);
    await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([0]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
    expect(await catalogue.directory()).not.toBe(first);
    expect(tails).toHaveLength(2);
  });

  it('that takes long to read is waited for by each call for ten seconds', async () => {
    const { promise: isRead, resolve } = Promise.withResolvers<void>();
    const { catalogue, tails } = openCatalogue(() => isRead);
    const first = catalogue.directory();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBe('reading');
    const second = catalogue.directory();
    resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(await second).toBeInstanceOf(ProductDirectory);
    expect(tails).toHaveLength(1);
  });

  it('that could not be read is read again by the next call', async () => {
    const away = new MessagingError('tail-behind', 'away', { canRetry: true });
    const { catalogue, tails } = openCatalogue((number) =>
      number === 1 ? Promise.reject(away) : Promise.resolve(),
    );
    await expect(catalogue.directory()).rejects.toBe(away);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
    expect(await catalogue.directory()).toBeInstanceOf(ProductDirectory);
  });

  it('that fails while no call waits is read again too', async () => {
    const away = new MessagingError('tail-behind', 'away', { canRetry: true });
    const { promise: fails, reject } = Promise.withResolvers<void>();
    const { catalogue, tails } = openCatalogue((number) => (number === 1 ? fails : Promise.resolve()));
    const first = catalogue.directory();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBe('reading');
    reject(away);
    await vi.advanceTimersByTimeAsync(0);
    expect(await catalogue.directory()).toBeInstanceOf(ProductDirectory);
    expect(tails).toHaveLength(2);
  });

  it('is no longer read after the stop of the instance', async () => {
    const { catalogue, tails } = openCatalogue();
    await catalogue.directory();
    await catalogue.stop();
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
    expect(tails.map(({ stops }) => stops)).toEqual([1]);
  });
});
