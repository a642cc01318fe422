import { TOPIC, topicName, type TopicKey } from './topics.ts';

const KEYS = Object.keys(TOPIC) as TopicKey[];
const DEAD_LETTERS = /\.dead-letters\.v\d+$/;
const COMMANDS = /\.commands\.[a-z]+\.v\d+$/;
const REQUESTS = /\.requests(\.bulk)?\.v\d+$/;

const keysLike = (pattern: RegExp): readonly TopicKey[] => KEYS.filter((key) => pattern.test(TOPIC[key]));

/** Where the workers put what they could not handle. */
export const DEAD_LETTER_TOPICS = keysLike(DEAD_LETTERS);
/** What a worker handles for its effect, in order per key: notifications. */
export const COMMAND_TOPICS = keysLike(COMMANDS);
/** What the workers take their work from: requests and commands. */
export const WORK_TOPICS = [...keysLike(REQUESTS), ...COMMAND_TOPICS];

/** The names on the broker of these topics. */
export function topicNames(prefix: string, keys: readonly TopicKey[]): readonly string[] {
  return keys.map((key) => topicName(prefix, key));
}
