import { createHash } from 'node:crypto';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { SoakWorld } from './soak-world.ts';

/** The last commit follows the last reply by a fifth of a second; after a kill the group waits for a session's end. */
const LAG_LIMIT_MS = 30_000;
const LAG_POLL_MS = 100;

/** Hands over all that is on a topic at the time of the call. */
export async function readTopic(
  broker: KafkaBroker,
  topic: string,
  onMessage: (message: LogMessage) => void,
): Promise<void> {
  const offsets = await broker.admin.offsets(topic);
  const ranges = offsets
    .filter(({ low, high }) => high > low)
    .map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  await broker.readRanges(ranges, (message) => {
    onMessage(message);
    return 'more';
  });
}

/** Number of messages that were written to a topic. */
export async function messagesOn(broker: KafkaBroker, topic: string): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { low, high }) => sum + high - low, 0);
}

/** Messages that the workers of the bulk lane have not committed, once it is none, or a while later. */
export async function lagOfBulkLane({ broker, env, topic }: SoakWorld): Promise<number> {
  const groupId = `${env['KAFKA_TOPIC_PREFIX']}plat.schedule.bulk`;
  const giveUpAt = performance.now() + LAG_LIMIT_MS;
  for (;;) {
    const lag = await lagOf(broker, groupId, topic('scheduleBulkRequests'));
    if (lag === 0 || performance.now() > giveUpAt) return lag;
    await sleep(LAG_POLL_MS);
  }
}

async function lagOf(broker: KafkaBroker, groupId: string, topic: string): Promise<number> {
  const committed = await broker.admin.committed(groupId, [topic]);
  const done = new Map(committed.map(({ partition, offset }) => [partition, offset]));
  const offsets = await broker.admin.offsets(topic);
  return offsets.reduce((sum, { partition, low, high }) => sum + high - (done.get(partition) ?? low), 0);
}

/** What the log shows about the replies to requests. */
export interface ReplyFigures {
  readonly requests: number;
  readonly replies: number;
  /** Replies beyond the first one of their request. */
  readonly repeatedReplies: number;
  /** Requests that no reply came to. */
  readonly unanswered: number;
  /** Requests whose replies are not the same bytes. */
  readonly differing: number;
}

/** Matches the messages of a request topic with those of its reply topic by correlation id. */
export async function matchReplies(
  broker: KafkaBroker,
  topics: { readonly requests: string; readonly replies: string },
): Promise<ReplyFigures> {
  const asked = new Set<string>();
  await readTopic(broker, topics.requests, ({ headers }) => {
    // One topic carries the requests of many; only those that are answered on this reply topic count.
    if (headerText(headers, HEADER.replyTopic) !== topics.replies) return;
    asked.add(headerText(headers, HEADER.correlationId) ?? '');
  });
  const first = new Map<string, string>();
  const differing = new Set<string>();
  let replies = 0;
  await readTopic(broker, topics.replies, ({ headers, value }) => {
    replies += 1;
    const id = headerText(headers, HEADER.correlationId) ?? '';
    const digest = createHash('sha256')
      .update(value ?? '')
      .digest('base64');
    const known = first.get(id);
    if (known === undefined) first.set(id, digest);
    else if (known !== digest) differing.add(id);
  });
  return {
    requests: asked.size,
    replies,
    repeatedReplies: replies - first.size,
    unanswered: [...asked].filter((id) => !first.has(id)).length,
    differing: differing.size,
  };
}
