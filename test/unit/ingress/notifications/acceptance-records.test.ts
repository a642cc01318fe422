import { expect, it } from 'vitest';
import { silentLog } from '../../../../shared/platform/log.ts';
import {
  AcceptanceRecords,
  type AcceptanceRecord,
  type AcceptanceRecordsOptions,
} from '../../../../workers/ingress/notifications/acceptance-records.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';

const record = (notificationId: string, ids = [notificationId]): AcceptanceRecord => ({
  notificationId,
  acceptedAt: 5,
  ids,
  message: { topic: 'acceptances', value: Buffer.alloc(10), headers: {}, timestampMs: 5 },
});

/** Acceptance records whose first publishes fail, as many as given. */
function world(failures: number, limits: AcceptanceRecordsOptions['limits'] = {}) {
  const publisher = new FakePublisher();
  let left = failures;
  publisher.onPublish = () => ((left -= 1) >= 0 ? Promise.reject(new Error('away')) : Promise.resolve());
  const added: string[] = [];
  const stored: string[] = [];
  const lost: number[] = [];
  const { timers } = virtualTime();
  const acceptances = new AcceptanceRecords({
    publisher,
    feed: { addAcceptance: (id) => void added.push(id), acceptanceStored: (id) => void stored.push(id) },
    log: silentLog,
    countLost: () => lost.push(1),
    timers,
    random: () => 0,
    limits,
  });
  return { publisher, added, stored, lost, acceptances };
}

it('gives the place of a stored acceptance back', async () => {
  const { publisher, acceptances } = world(0);
  const one = record('a', ['a', 'key']);
  expect(acceptances.reserve(one)).toBe(true);
  expect(await acceptances.write(one)).toBe(true);
  expect(publisher.sent.map(({ key }) => key)).toEqual(['a', 'key']);
  expect(acceptances.health()).toEqual({ status: 'ready' });
});

it('writes an acceptance again until it is stored, and tells the feed each time', async () => {
  const { publisher, added, stored, lost, acceptances } = world(3);
  acceptances.reserve(record('a'));
  expect(await acceptances.write(record('a'))).toBe(false);
  expect([acceptances.isUnwritten('a'), acceptances.unwritten()]).toEqual([true, 1]);
  expect(stored).toEqual([]);
  await expect.poll(() => acceptances.unwritten()).toBe(0);
  expect(publisher.sent).toHaveLength(1);
  expect(added).toEqual(['a', 'a', 'a', 'a']);
  expect(stored).toEqual(['a']);
  expect([acceptances.isUnwritten('a'), lost.length]).toEqual([false, 0]);
});

it.each([{ records: 1 }, { bytes: 15 }])('has no place beyond its limit of %o', async (limits) => {
  const { acceptances } = world(Infinity, limits);
  expect(acceptances.reserve(record('a'))).toBe(true);
  await acceptances.write(record('a'));
  expect(acceptances.reserve(record('b'))).toBe(false);
  acceptances.stop();
});

it('is degraded while an acceptance is written again, and not ready without a place', async () => {
  const { acceptances } = world(2, { records: 2 });
  const status = () => acceptances.health().status;
  acceptances.reserve(record('a'));
  expect(status()).toBe('ready');
  await acceptances.write(record('a'));
  expect(acceptances.health()).toEqual({
    status: 'degraded',
    reason: 'acceptances that are written again: 1',
  });
  acceptances.reserve(record('b'));
  expect(status()).toBe('starting');
  acceptances.release(record('b'));
  await expect.poll(status).toBe('ready');
});

it('counts what is not written when it stops', async () => {
  const { lost, acceptances } = world(Infinity);
  acceptances.reserve(record('a'));
  await acceptances.write(record('a'));
  acceptances.stop();
  await expect.poll(() => lost.length).toBe(1);
  expect(acceptances.unwritten()).toBe(0);
});
