import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../platform/errors.ts';
import type { OffsetRange } from '../message.ts';
import type { BrokerAdmin, OnRangeMessage, ReadOn } from '../ports.ts';
import { existingTopics } from '../topics/check-topics.ts';
import { OUT_OF_RANGE, type CreateFetchClient, type FetchClient } from './partition-fetcher.ts';

/** Time limit without progress. The records of a range exist, so a longer wait means that a broker is unavailable. */
const STALL_LIMIT_MS = 30_000;
/** A fetch waits this long if the next record belongs to an open transaction. */
const MAX_WAIT_MS = 1_000;
const RETRY_MS = 250;

interface RangeParts {
  readonly createFetchClient: CreateFetchClient;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly clientId: string;
}

/** See Broker.readRanges(). Rejects with `broker-unavailable` after 30 s without progress. */
export async function readRanges(
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
  { createFetchClient, admin, clientId }: RangeParts,
): Promise<void> {
  const filled = ranges.filter(({ from, to }) => from < to);
  await existingTopics(admin, [...new Set(filled.map(({ topic }) => topic))]);
  const client = createFetchClient(clientId);
  try {
    for (const range of filled) if ((await readRange(client, range, onMessage)) === 'stop') return;
  } finally {
    client.destroy();
  }
}

async function readRange(
  client: FetchClient,
  range: OffsetRange,
  onMessage: OnRangeMessage,
): Promise<ReadOn> {
  let next = range.from;
  let progressAt = performance.now();
  while (next < range.to) {
    const { messages, readTo } = await fetchNext(client, { ...range, offset: next });
    for (const message of messages) {
      if (message.offset < range.to && (await onMessage(message)) === 'stop') return 'stop';
    }
    if (readTo > next) progressAt = performance.now();
    next = Math.max(next, readTo);
    if (performance.now() - progressAt < STALL_LIMIT_MS) continue;
    const text = `no progress in reading ${range.topic} for ${STALL_LIMIT_MS / 1_000} s`;
    throw new MessagingError('broker-unavailable', text, { canRetry: true });
  }
  return 'more';
}

/** Fetches once from the current leader. Returns no messages if the leader does not answer or has moved. */
async function fetchNext(client: FetchClient, position: OffsetRange & { readonly offset: number }) {
  const { topic, partition, offset } = position;
  try {
    const leader = (await client.leaders([topic])).get(topic)?.[partition] ?? -1;
    const [fetched] = await client.fetch(leader, [{ topic, partition, offset }], MAX_WAIT_MS);
    if (fetched?.error === OUT_OF_RANGE) {
      const earliest = await client.earliest({ topic, partition });
      if (earliest > offset) return { messages: [], readTo: earliest };
    } else if (fetched !== undefined && fetched.error === undefined) return fetched;
  } catch {
    // The leader may have moved: the next call looks it up again.
  }
  await sleep(RETRY_MS);
  return { messages: [], readTo: offset };
}
