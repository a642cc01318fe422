import type { CommitPrefix } from './offset-tracker.ts';
import type { InFlight } from './in-flight.ts';
import type { Lanes } from './key-ordered-executor.ts';
import { partitionId, type LogMessage } from '../message.ts';
import { createWork } from './work.ts';

/**
 * Takes delivered messages of one partition into its prefix and, unless they are known, into the lanes. A message that
 * was begun or done in an earlier epoch joins that work; one that was delivered before in this epoch is passed over.
 * Answers how many joined.
 */
export function takeDelivery(
  messages: readonly LogMessage[],
  prefix: CommitPrefix,
  inFlight: InFlight,
  lanes: Lanes,
): number {
  const id = partitionId(prefix.topic, prefix.partition);
  const mayJoin = inFlight.has(id);
  let joined = 0;
  for (const message of messages) {
    if (message.offset <= prefix.lastOffset) continue;
    const known = mayJoin ? inFlight.take(id, message) : undefined;
    if (known === undefined) {
      const work = createWork(message, prefix);
      prefix.add(work);
      lanes.add(work);
      continue;
    }
    joined += 1;
    known.prefix = prefix;
    prefix.add(known);
  }
  if (mayJoin) {
    // A wait for an attempt that will never be made must not keep its followers waiting.
    for (const work of inFlight.forget(id, prefix.lastOffset)) lanes.endWait(work);
    prefix.advance();
  }
  return joined;
}
