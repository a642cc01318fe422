import { retryTopicName, TOPIC, topicName, type TopicKey } from '../topics/topics.ts';

/** The topics that replies of our own traffic go to. */
const REPLY_TOPICS: readonly TopicKey[] = ['ingressReplies', 'ingressResults', 'recalculationReplies'];

/** Names of the reply topics that are ours. */
export function ownReplyTopics(prefix: string): string[] {
  return REPLY_TOPICS.map((key) => topicName(prefix, key));
}

/** Names of the topics that no reply may go to, else anyone could make us feed ourselves. */
export function internalTopics(prefix: string, tiersMs: readonly number[]): string[] {
  const keys = Object.keys(TOPIC) as TopicKey[];
  return [
    ...keys.filter((key) => !REPLY_TOPICS.includes(key)).map((key) => topicName(prefix, key)),
    ...tiersMs.map((delayMs) => retryTopicName(prefix, delayMs)),
  ];
}
