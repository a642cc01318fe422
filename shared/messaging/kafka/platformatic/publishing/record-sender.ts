import { partitionId } from '../../../message.ts';
import type { PublishSlice } from '../../common/publishing/publish-queue.ts';
import type { PublishFailure, RecordSender } from '../../common/publishing/record-sender.ts';
import { answerOf, type PlatformaticClient } from '../connection/client.ts';
import { clusterMetadata, type ClusterMetadata } from '../connection/cluster.ts';
import { addressText, type BrokerAddress } from '../connection/connections.ts';
import { brokerError } from '../connection/errors.ts';
import { PRODUCE } from './produce-request.ts';
import { encodeBatch } from '../../common/publishing/record-batch.ts';

/**
 * Maximum time that the leader waits for its followers; less than the request timeout, so that the leader answers in
 * time.
 */
const ACKS_TIMEOUT_MS = 4_000;
const ALL_IN_SYNC_REPLICAS = -1;
/** Maximum number of cached topics, since the number of foreign reply topics is not limited; then all are forgotten. */
const MAX_TOPICS = 1_000;

/** Sends slices with the connections of one client. Knows the leaders of topics until a send fails. */
export class PlatformaticSender implements RecordSender {
  readonly #client: PlatformaticClient;
  /** The leaders by topic and partition; undefined: unknown. */
  readonly #leaders = new Map<string, (BrokerAddress | undefined)[]>();

  constructor(client: PlatformaticClient) {
    this.#client = client;
  }

  leaderOf(topic: string, partition: number): string | undefined {
    const leader = this.#leaders.get(topic)?.[partition];
    return leader && addressText(leader);
  }

  async send(
    slices: readonly PublishSlice[],
    onStored: (slices: readonly PublishSlice[]) => void,
  ): Promise<readonly PublishFailure[]> {
    try {
      await this.#findLeaders(slices);
    } catch (error) {
      return slices.map((slice) => ({ slice, fate: 'not-asked', error }));
    }
    const failures: PublishFailure[] = [];
    const byLeader = Map.groupBy(slices, ({ queue }) => this.#leaders.get(queue.topic)?.[queue.partition]);
    await Promise.all(
      Array.from(byLeader, async ([leader, part]) => {
        if (leader === undefined) failures.push(...part.map(withoutLeader));
        else failures.push(...(await this.#sendTo(leader, part, onStored)));
      }),
    );
    return failures;
  }

  /** The leaders of these partitions have moved, or their topics were deleted. */
  forgetLeaders(slices: readonly PublishSlice[]): void {
    for (const { queue } of slices) {
      const leaders = this.#leaders.get(queue.topic);
      if (leaders !== undefined) leaders[queue.partition] = undefined;
    }
  }

  async #findLeaders(slices: readonly PublishSlice[]): Promise<void> {
    const isKnown = ({ queue }: PublishSlice) =>
      this.#leaders.get(queue.topic)?.[queue.partition] !== undefined;
    if (slices.every(isKnown)) return;
    const topics = [...new Set(slices.map(({ queue }) => queue.topic))];
    const metadata = await clusterMetadata(this.#client, topics);
    if (this.#leaders.size > MAX_TOPICS) this.#leaders.clear();
    for (const topic of topics) this.#leaders.set(topic, leadersOf(metadata, topic));
  }

  async #sendTo(
    leader: BrokerAddress,
    slices: readonly PublishSlice[],
    onStored: (slices: readonly PublishSlice[]) => void,
  ): Promise<readonly PublishFailure[]> {
    let fate: PublishFailure['fate'] = 'not-asked';
    try {
      const batches = await Promise.all(slices.map(toProducedBatch));
      await this.#client.connectTo(leader);
      fate = 'lost';
      const pending = this.#client.send(leader, PRODUCE, ALL_IN_SYNC_REPLICAS, ACKS_TIMEOUT_MS, batches);
      const { responses } = await answerOf(pending);
      const codes = new Map<string, number>();
      for (const { name, partitionResponses } of responses) {
        for (const { index, errorCode } of partitionResponses) codes.set(partitionId(name, index), errorCode);
      }
      return settle(slices, codes, onStored);
    } catch (error) {
      return slices.map((slice) => ({ slice, fate, error }));
    }
  }
}

function leadersOf({ brokers, topics }: ClusterMetadata, topic: string): (BrokerAddress | undefined)[] {
  return (topics.get(topic)?.leaders ?? []).map((leader) => brokers.get(leader));
}

async function toProducedBatch({ queue: { topic, partition }, entries }: PublishSlice) {
  return { topic, partition, batch: await encodeBatch(entries) };
}

/** Reports the slices that the leader has stored, and returns the others. */
function settle(
  slices: readonly PublishSlice[],
  codes: ReadonlyMap<string, number>,
  onStored: (slices: readonly PublishSlice[]) => void,
): PublishFailure[] {
  const failures: PublishFailure[] = [];
  const stored: PublishSlice[] = [];
  for (const slice of slices) {
    const { topic, partition } = slice.queue;
    const code = codes.get(partitionId(topic, partition));
    if (code === 0) stored.push(slice);
    else if (code !== undefined) failures.push({ slice, fate: 'answered', error: brokerError(code) });
    else {
      const error = new Error(`the broker did not confirm partition ${partition} of ${topic}`);
      failures.push({ slice, fate: 'lost', error });
    }
  }
  if (stored.length > 0) onStored(stored);
  return failures;
}

/** The topic may have been deleted, which the publisher finds out by this error. */
function withoutLeader(slice: PublishSlice): PublishFailure {
  return { slice, fate: 'left-out', error: brokerError('UNKNOWN_TOPIC_OR_PARTITION') };
}
