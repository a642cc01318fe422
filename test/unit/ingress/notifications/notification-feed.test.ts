import { expect, it } from 'vitest';
import type { Decoded } from '../../../../shared/messaging/codec.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { RECEIPT_STATUSES } from '../../../../shared/notification/notification-state.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createNotificationFeed } from '../../../../workers/ingress/notifications/notification-feed.ts';
import { readIngressOptions } from '../../../../workers/ingress/server/http-limits.ts';
import { Picks } from '../../../support/random/pick.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';

function openFeed(
  decode: (message: { readonly value: Buffer }) => Decoded | Promise<Decoded>,
  restoreFirst: (message: OutgoingMessage) => void = () => undefined,
) {
  const tails: FakeTail[] = [];
  const createTail = (options: FakeTail['options']): FakeTail => {
    const tail = new FakeTail(options);
    tails.push(tail);
    return tail;
  };
  const admin = { offsets: () => Promise.resolve([]) };
  const feed = createNotificationFeed({ createTail, admin } as never, {
    ...systemPorts,
    options: readIngressOptions(loadConfig({})),
    codec: { decode } as never,
    log: silentLog,
    restoreFirst,
  });
  return { feed, tails };
}

it('forgets the oldest of its own acceptances that are never read back, so that they do not fill the memory', () => {
  const payload = { notificationId: 'x' };
  const { feed } = openFeed(() => ({
    kind: 'decoded',
    type: 'NotificationAcceptance',
    format: 'avro',
    payload,
  }));
  for (let id = 0; id <= 30_000; id++) feed.addAcceptance(String(id), Buffer.alloc(1), 0);
  expect(['0', '1', '30000'].map((id) => feed.acceptance(id))).toEqual([undefined, payload, payload]);
});

it('stops at a state whose schema is being fetched', async () => {
  let asked = 0;
  const { feed, tails } = openFeed(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  await feed.start();
  const state = {
    topic: TOPIC.notificationOutcomes,
    partition: 0,
    key: Buffer.from('a'),
    headers: {},
    timestampMs: Date.now(),
  };
  for (let offset = 0; offset < 1_000; offset++)
    tails[0]?.deliver({ ...state, value: Buffer.alloc(8), offset });
  expect(asked).toBe(1);
  await feed.stop(0);
});

it('ends in the same states after 10,000 receipts in any order, twice each (N7)', async () => {
  const picks = new Picks(20_260_115);
  const receipts = Array.from({ length: 10_000 }, () => ({
    notificationId: `n${picks.whole(1, 4_000)}`,
    status: RECEIPT_STATUSES[picks.whole(0, RECEIPT_STATUSES.length - 1)] ?? 'delivered',
    channel: 'sms',
    attempt: picks.whole(1, 3),
  }));
  const strongest = new Map<string, number>();
  for (const { notificationId, status } of receipts) {
    const rank = RECEIPT_STATUSES.indexOf(status);
    strongest.set(notificationId, Math.max(rank, strongest.get(notificationId) ?? 0));
  }
  const expected = [...strongest].map(([id, rank]) => `${id} ${RECEIPT_STATUSES[rank]}`).toSorted();
  for (let order = 0; order < 3; order += 1) {
    const { feed, tails } = openFeed(({ value }) => ({
      kind: 'decoded',
      type: 'NotificationState',
      format: 'avro',
      payload: JSON.parse(value.subarray(1).toString()) as unknown,
    }));
    await feed.start();
    const twice = [...receipts, ...receipts].map((receipt) => ({ receipt, place: picks.share() }));
    for (const [offset, { receipt }] of twice.toSorted((one, other) => one.place - other.place).entries())
      tails[0]?.deliver({
        topic: TOPIC.notificationOutcomes,
        partition: 0,
        offset,
        key: Buffer.from(`${receipt.notificationId}/${receipt.status}`),
        value: Buffer.from(`\0${JSON.stringify(receipt)}`),
        headers: {},
        timestampMs: Date.now(),
      });
    const ends = await Promise.all(
      [...strongest.keys()].map(async (id) => `${id} ${(await feed.receipt(id))?.status}`),
    );
    expect(ends.toSorted()).toEqual(expected);
    expect(await feed.state('n1')).toBeUndefined();
    await feed.stop(0);
  }
});

it('writes the acceptance of a notification that is still scheduled again after a day (N11)', async () => {
  let status = 'sent';
  const written: OutgoingMessage[] = [];
  const { feed, tails } = openFeed(
    () => ({ kind: 'decoded', type: 'NotificationState', format: 'avro', payload: { status } }),
    (message) => written.push(message),
  );
  await feed.start();
  const nowMs = Date.now();
  const deliver = (topic: string, ageMs: number, byte: number) =>
    tails[0]?.deliver({
      topic,
      partition: 0,
      offset: 0,
      key: Buffer.from('a'),
      value: Buffer.of(0, byte),
      headers: {},
      timestampMs: nowMs - ageMs,
    });
  deliver(TOPIC.notificationAcceptances, 24 * 3_600_000, 1);
  deliver(TOPIC.notificationOutcomes, 0, 2);
  expect(written).toEqual([]);
  status = 'scheduled';
  deliver(TOPIC.notificationOutcomes, 1, 2);
  expect(written).toEqual([]);
  deliver(TOPIC.notificationOutcomes, 0, 2);
  const [value, key] = [Buffer.of(0, 1), 'a'];
  const topic = TOPIC.notificationAcceptances;
  expect(written).toEqual([{ topic, timestampMs: nowMs, key, value }]);
  deliver(topic, 0, 1);
  deliver(TOPIC.notificationOutcomes, 0, 2);
  expect(written).toHaveLength(1);
  await feed.stop(0);
});
