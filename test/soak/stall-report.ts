import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { SoakWorld } from './soak-world.ts';
import { readTopic } from './topic-reading.ts';

/** Maximum number of requests listed. */
const MAX_NAMED = 10;

/**
 * Locates a stalled run: requests not yet committed by a worker, by partition, and requests without a reply. If there
 * are none, all replies are on the log and the command does not read them.
 */
export async function describeStall({ broker, env, topic }: SoakWorld): Promise<string> {
  const requests = topic('scheduleBulkRequests');
  const groupId = `${env['KAFKA_TOPIC_PREFIX']}plat.schedule.bulk`;
  const committed = await broker.admin.committed(groupId, [requests]);
  const done = new Map(committed.map(({ partition, offset }) => [partition, offset]));
  const behind = (await broker.admin.offsets(requests))
    .filter(({ partition, low, high }) => (done.get(partition) ?? low) < high)
    .map(({ partition, low, high }) => `${partition}: ${done.get(partition) ?? low} of ${high}`);
  const open = new Map<string, string>();
  await readTopic(broker, requests, (message) => {
    open.set(idOf(message), `${message.partition}/${message.offset}`);
  });
  await readTopic(broker, topic('recalculationReplies'), (message) => {
    open.delete(idOf(message));
  });
  const unanswered = [...open].slice(0, MAX_NAMED).map(([id, place]) => `${id} at ${place}`);
  return (
    `behind on partitions: ${behind.join(', ') || 'none'}; ` +
    `${open.size} requests without a reply${unanswered.length === 0 ? '' : ` (${unanswered.join(', ')})`}`
  );
}

function idOf({ headers }: LogMessage): string {
  return headerText(headers, HEADER.correlationId) ?? '';
}
