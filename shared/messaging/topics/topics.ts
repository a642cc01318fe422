/** The list of topics: their names, and which of them are requests, commands, replies or dead letters. */

import type { MessageTopic } from '../../../schemas/messages.ts';

/** Names without the prefix, which `topicName` adds. */
export const TOPIC = {
  scheduleRequests: 'plat.schedule.requests.v1',
  scheduleBulkRequests: 'plat.schedule.requests.bulk.v1',
  scheduleDeadLetters: 'plat.schedule.dead-letters.v1',
  productRequests: 'plat.product.requests.v1',
  productDeadLetters: 'plat.product.dead-letters.v1',
  simulationRequests: 'plat.simulation.requests.v1',
  simulationDeadLetters: 'plat.simulation.dead-letters.v1',
  ingressReplies: 'plat.ingress.replies.v1',
  ingressResults: 'plat.ingress.results.v1',
  recalculationReplies: 'plat.recalculation.replies.v1',
  catalogueRecords: 'plat.catalogue.records.v1',
  smsCommands: 'plat.notification.commands.sms.v1',
  emailCommands: 'plat.notification.commands.email.v1',
  smsUrgentCommands: 'plat.notification.commands.sms.urgent.v1',
  emailUrgentCommands: 'plat.notification.commands.email.urgent.v1',
  notificationHold: 'plat.notification.hold.v1',
  notificationOutcomes: 'plat.notification.outcomes.v1',
  notificationAcceptances: 'plat.notification.acceptances.v1',
  notificationUsage: 'plat.notification.usage.v1',
  notificationDeadLetters: 'plat.notification.dead-letters.v1',
  deadLetterAudit: 'plat.dead-letters.audit.v1',
} as const satisfies Readonly<Record<MessageTopic, string>> & Readonly<Record<string, string>>;

export type TopicKey = keyof typeof TOPIC;

/** The name on the broker. The prefix isolates tests and tenants from each other. */
export function topicName(prefix: string, key: TopicKey): string {
  return prefix + TOPIC[key];
}

/** The names on the broker of several topics. */
export function topicNames(prefix: string, keys: readonly TopicKey[]): readonly string[] {
  return keys.map((key) => topicName(prefix, key));
}

const KEYS = Object.keys(TOPIC) as TopicKey[];

/** Where the workers store messages that they could not handle. */
export const DEAD_LETTER_TOPICS = findTopics(/\.dead-letters\.v\d+$/);
/** The topics of commands (notifications), which are handled for their effect and in order per key. */
export const COMMAND_TOPICS = findTopics(/\.commands\.[a-z]+(?:\.urgent)?\.v\d+$/);
/** The topics that workers consume: requests and commands. */
export const WORK_TOPICS = [...findTopics(/\.requests(\.bulk)?\.v\d+$/), ...COMMAND_TOPICS];
/** Where the replies to our own requests go. */
const REPLY_TOPICS: readonly TopicKey[] = ['ingressReplies', 'ingressResults', 'recalculationReplies'];

/** Names of our own reply topics. */
export function ownReplyTopics(prefix: string): readonly string[] {
  return topicNames(prefix, REPLY_TOPICS);
}

/** The topics of every installation of this system, whatever its prefix. */
const OF_ENGINE = new RegExp(
  `(?:${KEYS.map((key) => escapeName(TOPIC[key])).join('|')}|plat\\.notification\\.retry\\.[a-z0-9.]+)$`,
);

/**
 * Whether replies may be written to a topic. Requesters choose it, and could otherwise make the workers write where only the workers
 * may: to requests and commands of others, or to the journal of a registry. Allowed are our own reply topics, and the topics that
 * match one of `patterns` (`*` stands for any characters, `?` for one) unless they belong to an installation of this system or, like those
 * of Kafka and of registries, begin with an underscore.
 */
export function replyTopicRule(prefix: string, patterns: readonly string[]): (topic: string) => boolean {
  const own = new Set(ownReplyTopics(prefix));
  const allowed = new RegExp(`^(?:${patterns.map(toExpression).join('|')})$`);
  return (topic) =>
    own.has(topic) || (allowed.test(topic) && !OF_ENGINE.test(topic) && !topic.startsWith('_'));
}

function toExpression(pattern: string): string {
  return escapeName(pattern).replaceAll('*', '.*').replaceAll('?', '.');
}

/** Of the characters in names of topics, only the dot has a meaning. */
function escapeName(name: string): string {
  return name.replaceAll('.', '\\.');
}

/**
 * The topic of the retry tier with this delay, on which notifications wait for their next attempt. Urgent notifications
 * have tiers of their own, since a partition returns its copies in order and at a limited rate.
 */
export function retryTopicName(prefix: string, delayMs: number, priority: RetryPriority = 'normal'): string {
  const lane = priority === 'urgent' ? '.urgent' : '';
  return `${prefix}plat.notification.retry.${delayLabel(delayMs)}${lane}.v1`;
}

type RetryPriority = 'normal' | 'urgent';

/** The topics of all retry tiers. */
export function retryTopicNames(prefix: string, retryTiersMs: readonly number[]): readonly string[] {
  return (['normal', 'urgent'] as const).flatMap((priority) =>
    retryTiersMs.map((delayMs) => retryTopicName(prefix, delayMs, priority)),
  );
}

const SECOND_MS = 1_000;
const UNITS = [
  [3_600 * SECOND_MS, 'h'],
  [60 * SECOND_MS, 'm'],
  [SECOND_MS, 's'],
] as const;

/** A delay as in topic names: `10s`, `1m`, `10m`, `1h`. Delays are whole seconds. */
export function delayLabel(delayMs: number): string {
  const [unitMs, unit] = UNITS.find(([ms]) => delayMs % ms === 0) ?? [1, 'ms'];
  return `${delayMs / unitMs}${unit}`;
}

function findTopics(pattern: RegExp): readonly TopicKey[] {
  return KEYS.filter((key) => pattern.test(TOPIC[key]));
}
