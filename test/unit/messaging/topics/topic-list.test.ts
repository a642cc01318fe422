import { describe, expect, test } from 'vitest';
import { requireTopics } from '../../../../shared/messaging/topics/check-topics.ts';
import { readIngressOptions } from '../../../../workers/ingress/server/http-limits.ts';
import { replyTopicRule } from '../../../../shared/messaging/topics/reply-topic-rule.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  WORK_TOPICS,
  allTopicSpecs,
  topicDifferences,
  topicSpecs,
  ownReplyTopics,
  delayLabel,
  TOPIC,
  type TopicKey,
} from '../../../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog, type Log } from '../../../../shared/platform/log.ts';

const specOf = (key: TopicKey) => topicSpecs('', [key])[0]!;

const stateOf = (type: string) => ({ partitions: 1, config: new Map([['compression.type', type]]) });
const stored = (types: Record<string, string>) => ({
  partitionCounts: async () => new Map(Object.keys(types).map((name) => [name, 1])),
  topicStates: async () => new Map(Object.entries(types).map(([name, type]) => [name, stateOf(type)])),
});

const failing = (code: string) => ({
  ...stored({ a: 'producer' }),
  topicStates: () => Promise.reject(new MessagingError(code, 'no', { canRetry: false })),
});

describe('topic specifications', () => {
  test('make the broker recompress batches on every topic', () => {
    for (const { config } of allTopicSpecs('', [10_000])) {
      expect(['uncompressed', 'gzip']).toContain(config?.['compression.type']);
    }
    for (const key of ['scheduleRequests', 'ingressReplies', 'ingressResults'] as const) {
      expect(specOf(key).config?.['compression.type']).toBe('uncompressed');
    }
  });

  test('prevent startup if topics are missing, with their names and the command that creates them', async () => {
    const admin = { partitionCounts: async () => new Map([['p.there', 12]]) };
    const required = requireTopics(admin, ['p.one', 'p.there', 'p.other'], silentLog, { spreadMs: 0 });
    const text = /lacks topics: p\.one, p\.other; .*npm run topics -- create/;
    const message = expect.stringMatching(text) as string;
    await expect(required).rejects.toMatchObject({ code: 'invalid-configuration', message });
    await expect(requireTopics(admin, ['p.there'], silentLog)).resolves.toBeUndefined();
  });

  test('repeat the query for topics that the broker does not know yet', async () => {
    const answers = [['p.one'], ['p.one', 'p.two']];
    const known = () => new Map(answers.shift()?.map((name) => [name, 12]));
    const admin = { partitionCounts: async () => known() };
    await expect(requireTopics(admin, ['p.one', 'p.two'], silentLog)).resolves.toBeUndefined();
  });

  test('prevent startup if topics have an unsupported compression, and name the command that changes it', async () => {
    const admin = stored({ a: 'producer', b: 'uncompressed', c: 'lz4', d: 'gzip', e: 'snappy', f: 'zstd' });
    const names = [...(await admin.partitionCounts()).keys()];
    await expect(requireTopics(admin, names, silentLog)).rejects.toThrow(
      /a \(compression\.type=producer\), c \(compression\.type=lz4\), e \(compression\.type=snappy\); .*kafka-configs\.sh/,
    );
  });

  test('allow startup if the broker rejects DescribeConfigs, but not if it is unavailable', async () => {
    const warnings: string[] = [];
    const log = { warn: (_: object, text: string) => warnings.push(text) };
    await requireTopics(failing('broker-refused'), ['a'], log as unknown as Log);
    expect(warnings).toEqual([expect.stringContaining('DescribeConfigs')]);
    const unavailable = requireTopics(failing('broker-unavailable'), ['a'], silentLog);
    await expect(unavailable).rejects.toMatchObject({ code: 'broker-unavailable' });
  });

  test('name the topics of each retry tier by delay and priority, with the partitions of the commands', () => {
    const specs = allTopicSpecs('x.', [10_000, 90_000, 60 * 60_000]);
    const tiers = specs.filter(({ topic }) => topic.includes('.retry.'));
    const names = ['10s', '90s', '1h', '10s.urgent', '90s.urgent', '1h.urgent'];
    const expected = names.map((name) => `x.plat.notification.retry.${name}.v1`);
    expect(tiers.map(({ topic }) => topic)).toEqual(expected);
    expect(specs).toHaveLength(Object.keys(TOPIC).length + 6);
    const { topic: _, ...settings } = specOf('smsCommands');
    for (const { topic: __, ...ofTier } of tiers) expect(ofTier).toEqual(settings);
    const delays = [1_000, 60_000, 600_000, 5_400_000, 86_400_000];
    expect(delays.map(delayLabel)).toEqual(['1s', '1m', '10m', '90m', '24h']);
  });

  test('are not allowed as reply topics, those of another prefix neither, except our own reply topics', () => {
    const mayReplyTo = replyTopicRule('x.', ['*']);
    const own = [TOPIC.ingressReplies, TOPIC.ingressResults, TOPIC.recalculationReplies];
    const allowedOf = (prefix: string) =>
      allTopicSpecs(prefix, [10_000]).flatMap(({ topic }) => (mayReplyTo(topic) ? [topic] : []));
    expect(ownReplyTopics('x.')).toEqual(own.map((topic) => `x.${topic}`));
    expect(allowedOf('x.').toSorted()).toEqual(ownReplyTopics('x.').toSorted());
    expect([...allowedOf(''), ...allowedOf('y.')]).toEqual([]);
  });

  test.each([
    ['bank.replies', true],
    ['upstream.recalculation.replies.v1', true],
    ['plat.schedule.requests.v1.reply', true],
    ['x.plat.schedule.requests.v1.reply', true],
    ['payments.commands', false],
    ['replies', false],
    ['bankreplies', false],
    ['bank.replies.orders', false],
    ['bank.replies.v1.commands', false],
    ['_schemas', false],
    ['_registry.replies', false],
    ['__consumer_offsets', false],
  ])('by default, a caller may have replies sent to %s: %s', (topic, isAllowed) => {
    expect(replyTopicRule('x.', loadConfig({}).replyTopics)(topic)).toBe(isAllowed);
  });

  test('are no reply topics, even where the operator allows others by name or pattern', () => {
    const allowed = ['payments.answers', 'bank-*', '_schemas', 'y.plat.ingress.replies.v1'];
    const mayReplyTo = replyTopicRule('', allowed);
    const topics = ['payments.answers', 'bank-one', 'my.bank-one', 'payments-answers', '_schemas'];
    expect(topics.filter(mayReplyTo)).toEqual(['payments.answers', 'bank-one']);
    expect(mayReplyTo('y.plat.ingress.replies.v1')).toBe(false);
  });

  test('report different partition counts and settings with actual and expected values', () => {
    const config = new Map(Object.entries(specOf('ingressResults').config ?? {}));
    config.set('retention.ms', '5').delete('segment.ms');
    expect(topicDifferences(specOf('ingressResults'), { partitions: 3, config })).toEqual([
      `${TOPIC.ingressResults} has 3 partitions instead of 6`,
      `${TOPIC.ingressResults} has retention.ms=5 instead of 3600000`,
      `${TOPIC.ingressResults} has segment.ms=(none) instead of 600000`,
    ]);
    expect(topicDifferences({ topic: 't', partitions: 3 }, { partitions: 3, config })).toEqual([]);
  });
});

test('requests of verifications are durable, since handling them calls providers', () => {
  const [spec] = topicSpecs('', ['verificationRequests']);
  expect(spec?.storage).toBeUndefined();
});

test('groups topics by their names', () => {
  const workers = ['schedule', 'product', 'simulation', 'notification'];
  expect(DEAD_LETTER_TOPICS).toEqual(workers.map((worker) => `${worker}DeadLetters`));
  const commands = ['smsCommands', 'emailCommands', 'smsUrgentCommands', 'emailUrgentCommands'];
  expect(COMMAND_TOPICS).toEqual(commands);
  const requests = ['scheduleRequests', 'scheduleBulkRequests', 'productRequests', 'simulationRequests'];
  expect(WORK_TOPICS).toEqual([...requests, 'notificationCallbacks', ...commands]);
});

test('an ingress whose index is built again reads every acceptance that the others still know', () => {
  const { config } = allTopicSpecs('', []).find(({ topic }) => topic === TOPIC.notificationAcceptances) ?? {};
  const { notificationRetentionMs } = readIngressOptions(loadConfig({}));
  expect(Number(config?.['retention.ms'])).toBeGreaterThanOrEqual(notificationRetentionMs);
});
