import { ownReplyTopics, TOPIC } from './topic-list.ts';

/** Matches the topics of every installation of this system, whatever its prefix. */
const OF_ENGINE = new RegExp(
  `(?:${Object.values(TOPIC).map(escapeName).join('|')}|plat\\.notification\\.retry\\.[a-z0-9.]+)$`,
);

/**
 * Allows our reply topics, and matches of `patterns` (`*`, `?`), unless an installation of this system has the topic or
 * it begins with `_`: requesters must not make workers write to request topics, or to the journal of a registry.
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

/** Of the characters of topic names, only the dot has a meaning in a regular expression. */
function escapeName(name: string): string {
  return name.replaceAll('.', '\\.');
}
