import { expect, it } from 'vitest';
import type { Decoded } from '../../../../shared/messaging/codec.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createNotificationFeed } from '../../../../workers/ingress/notifications/notification-feed.ts';
import { readIngressOptions } from '../../../../workers/ingress/server/http-limits.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';

function openFeed(decode: () => Decoded | Promise<Decoded>) {
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
    restoreFirst: () => undefined,
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

it('decodes at most a hundred states at once while their schema is being fetched', async () => {
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
  expect([asked > 0, asked <= 101]).toEqual([true, true]);
  await feed.stop(0);
});
