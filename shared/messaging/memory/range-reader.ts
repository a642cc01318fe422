import { unknownTopic } from './faults.ts';
import type { MemoryTopics } from './topics.ts';
import type { OffsetRange } from '../message.ts';
import type { OnRangeMessage, ReadOn } from '../ports.ts';

/** So much is taken from a log at a time; it is not copied, only kept from being removed meanwhile. */
const RECORDS_AT_A_TIME = 100;
const BYTES_AT_A_TIME = 1_024 * 1_024;

/** Hands over the messages of ranges on the embedded broker, one range after the other. */
export async function readMemoryRanges(
  topics: MemoryTopics,
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
): Promise<void> {
  for (const range of ranges) {
    if ((await readRange(topics, range, onMessage)) === 'stop') return;
  }
}

async function readRange(
  topics: MemoryTopics,
  { topic, partition, from, to }: OffsetRange,
  onMessage: OnRangeMessage,
): Promise<ReadOn> {
  const log = topics.get(topic).logs[partition];
  if (log === undefined) throw unknownTopic(`${topic}, partition ${partition}`);
  const end = Math.min(to, log.high);
  let position = from;
  while (position < end) {
    const batch = log.read(position, RECORDS_AT_A_TIME, BYTES_AT_A_TIME);
    for (const message of batch.messages) {
      if (message.offset >= end) return 'more';
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    position = batch.next;
  }
  return 'more';
}
