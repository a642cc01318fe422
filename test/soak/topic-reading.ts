import { createHash } from 'node:crypto';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { SoakWorld } from './soak-world.ts';

/** The last commit follows the last reply by 0.2 s; after a kill the group waits for the session timeout. */
const LAG_LIMIT_MS = 30_000;
const LAG_POLL_MS = 100;

/** Yields all records that are on the topic at the time of the call. */
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

/** Number of records written to a topic. */
export async function messagesOn(broker: KafkaBroker, topic: string): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { low, high }) => sum + high - low, 0);
}

/** Number of records that the bulk workers have not committed; waits a while for zero. */
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

/** Replies found on the log for the requests of a topic. */
export interface ReplyFigures {
  readonly requests: number;
  readonly replies: number;
  /** Repeated replies to the same request. */
  readonly repeatedReplies: number;
  /** Requests without a reply. */
  readonly unanswered: number;
  /** Requests whose repeated replies differ. */
  readonly differing: number;
}

/** Matches requests and replies by correlation id. */
export async function matchReplies(
  broker: KafkaBroker,
  topics: { readonly requests: string; readonly replies: string },
): Promise<ReplyFigures> {
  const asked = new Set<string>();
  await readTopic(broker, topics.requests, ({ headers }) => {
    // Several callers share the request topic; only requests with this reply topic count.
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
