import { expect, it } from 'vitest';
import { PacedPublisher } from '../../../../workers/notification/state/paced-publisher.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';

const records = (length: number) => Array.from({ length }, () => ({ topic: 't', key: null, value: null }));

/** A publisher whose requests take the given times one after another, and what they carried at what time. */
function paced(...tookMs: number[]) {
  const { time, pass, monotonic, timers } = virtualTime({ elapsedMs: 1_000 });
  const inner = new FakePublisher();
  const requests: string[] = [];
  inner.onPublish = async (messages) => {
    requests.push(`${messages.length} at ${time.elapsedMs - 1_000}`);
    pass(tookMs.shift() ?? 0);
  };
  const publisher = new PacedPublisher(inner, { monotonic, timers });
  const publish = (...counts: readonly number[]) =>
    Promise.all(counts.map((count) => publisher.publish(records(count))));
  return { inner, requests, publisher, publish };
}

it('sends the first record at once, and those that follow together every 10 ms, or when they are 32', async () => {
  const { publish, requests } = paced();
  for (const counts of [[1], [1, 2], [31], [30, 2], [40], [1]]) await publish(...counts);
  expect(requests).toEqual(['1 at 0', '3 at 10', '31 at 20', '32 at 20', '40 at 20', '1 at 30']);
});

it('pauses after two long requests for as long as the shorter one took, also with many records', async () => {
  const { publish, requests } = paced(20, 25, 0, 80, 90, 0);
  for (const counts of [[1], [1], [40], [1], [1], [1], [40]]) await publish(...counts);
  expect(requests).toEqual(['1 at 0', '1 at 20', '40 at 60', '1 at 70', '1 at 150', '1 at 250', '40 at 250']);
});

it('fails all calls of a request that fails, and sends what is waiting when it stops', async () => {
  const { inner, publisher, publish, requests } = paced();
  const { onPublish } = inner;
  inner.onPublish = () => Promise.reject(new Error('away'));
  await expect(Promise.allSettled([publish(1), publish(1)])).resolves.toMatchObject(
    [1, 2].map(() => ({ status: 'rejected' })),
  );
  inner.onPublish = onPublish;
  const last = publish(1, 1);
  await publisher.stop();
  await last;
  expect([requests, inner.stops, publisher.isHealthy()]).toEqual([['2 at 0'], 1, true]);
  inner.healthy = false;
  expect(publisher.isHealthy()).toBe(false);
});
