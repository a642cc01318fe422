import { expect, it, onTestFinished } from 'vitest';
import type { Codec, Decoded } from '../../../../shared/messaging/codec.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/broker.ts';
import { topicSpecs } from '../../../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../../../shared/messaging/topics/topics.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createNotificationFeed } from '../../../../workers/ingress/notifications/notification-feed.ts';
import type { IngressOptions } from '../../../../workers/ingress/server/http-limits.ts';

it('holds few states in memory while their schema is being fetched', async () => {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(topicSpecs('', ['notificationAcceptances', 'notificationOutcomes']));
  let decoding = 0;
  const decode = (): Promise<Decoded> => {
    decoding += 1;
    return new Promise(() => undefined);
  };
  const feed = createNotificationFeed(broker, {
    ...systemPorts,
    options: { topicPrefix: '', notificationRetentionMs: 1_000_000 } as IngressOptions,
    codec: { decode } as unknown as Codec,
    log: silentLog,
    indexFiles: undefined,
    restoreFirst: () => undefined,
  });
  await feed.start();
  onTestFinished(() => feed.stop(0));
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const topic = topicName('', 'notificationOutcomes');
  const state = { topic, partition: 0, key: 'a', value: Buffer.of(0, 1) };
  await publisher.publish([...Array.from({ length: 1_000 }, () => state), { ...state, key: 'b' }]);
  await expect.poll(() => feed.size().records).toBe(2);
  expect(decoding).toBeLessThan(110);
});
