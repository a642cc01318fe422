/** Dead letters of requests whose reply cannot be delivered: their codes, and the classification of failed sends. */

import { InfrastructureError, MessagingError } from '../../platform/errors.ts';
import type { TopicPartition } from '../message.ts';
import { isTransientFailure } from '../processing-result.ts';
import type { DeadLetterReason } from './dead-letter.ts';
import type { TopicDirectory } from './topic-directory.ts';

const REASONS = {
  'no-reply-address': 'the message names no reply topic',
  'reply-topic-unknown': 'the reply topic does not exist',
  'reply-topic-refused': 'the reply topic is not allowed, see the setting REPLY_TOPICS',
  'reply-partition-invalid': 'the reply partition does not exist',
  'reply-undeliverable': 'the reply topic accepts no replies',
} as const;

/** Why a reply cannot be delivered; also the code of the dead letter. */
export type ReplyFault = keyof typeof REASONS;

/** The reason of the dead letter for a reply that cannot be delivered. */
export function replyDeadLetterReason(code: ReplyFault): DeadLetterReason {
  return { code, text: REASONS[code] };
}

/**
 * Attempts of a request whose reply partition accepts nothing, before it becomes a dead letter: about ten minutes. Elections take seconds
 * and restarts of a broker minutes; a topic without replicas whose broker is gone must not hold up the requests of others for hours.
 */
const MAX_ATTEMPTS = 60;

/**
 * Classifies the failure to publish the reply to a request: it is too large, its destination is invalid, or has accepted nothing for too
 * long. Rethrows transient failures, such as a silent leader, and bugs.
 */
export async function classifyReplyError(
  error: unknown,
  attempt: number,
  destination: TopicPartition,
  directory: TopicDirectory,
): Promise<'too-large' | DeadLetterReason> {
  if (attempt >= MAX_ATTEMPTS && isOfLeader(error)) return replyDeadLetterReason('reply-undeliverable');
  if (!(error instanceof MessagingError) || isTransientFailure(error)) throw error;
  if (error.code === 'message-too-large') return 'too-large';
  if (error.code !== 'topic-unknown') {
    return { code: 'reply-undeliverable', text: `the reply topic rejected the reply: ${error.code}` };
  }
  return replyDeadLetterReason(await findMissing(destination, directory));
}

/** Whether the leader of the partition caused the error, and not the requests that the publisher had queued earlier. */
function isOfLeader(error: unknown): boolean {
  return error instanceof MessagingError && (error.code === 'send-unknown' || error.cause !== undefined);
}

/**
 * Queries the broker for a topic or partition that the publisher did not find. If it exists, the publisher's metadata is
 * stale: throws a transient failure.
 */
async function findMissing(
  { topic, partition }: TopicPartition,
  directory: TopicDirectory,
): Promise<ReplyFault> {
  const count = await directory.refresh(topic);
  if (count === undefined) return 'reply-topic-unknown';
  if (partition >= count) return 'reply-partition-invalid';
  const what = `partition ${partition} of ${topic} is unknown to the publisher but known to the broker`;
  throw new InfrastructureError('reply-topic-unsettled', what);
}
