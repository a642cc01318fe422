import { expect, it } from 'vitest';
import { allTopicSpecs } from '../../../../shared/messaging/topics/topic-settings.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { readIngressOptions } from '../../../../workers/ingress/server/http-limits.ts';

it('an ingress whose index is built again reads every acceptance that the others still know', () => {
  const { config } = allTopicSpecs('', []).find(({ topic }) => topic === TOPIC.notificationAcceptances) ?? {};
  const { notificationRetentionMs } = readIngressOptions(loadConfig({}));
  expect(Number(config?.['retention.ms'])).toBeGreaterThanOrEqual(notificationRetentionMs);
});
