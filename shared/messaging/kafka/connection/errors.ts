import { MessagingError } from '../../../platform/errors.ts';
import type { PublishFate } from '../publishing/produce-round.ts';

/** How deep kafkajs nests causes: retries exceeded, non-retriable wrapper, protocol error, with some to spare. */
const MAX_CAUSE_DEPTH = 8;

/** Answers of the group coordinator that mean: this generation is over, or this member is no longer in the group. */
const GENERATION_OVER: ReadonlySet<string> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
]);

/** Answers that say that the topic, or the named partition of it, is not there for this client. */
const TOPIC_UNKNOWN: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
]);

/** Socket errors that only occur before a connection stands: no request can have been written to it. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Answers that a leader only gives before it appends. NOT_LEADER_OR_FOLLOWER and UNKNOWN_TOPIC_OR_PARTITION are none of
 * them: both also come when leadership moves while an appended batch waits for its followers.
 */
const NOT_APPENDED: ReadonlySet<string> = new Set(['NOT_ENOUGH_REPLICAS', 'TOPIC_AUTHORIZATION_FAILED']);

/** The broker's own name of the error (kafkajs `type`), wherever in the chain of causes it stands. */
export function brokerErrorType(error: unknown): string | undefined {
  return findInChain(error, 'type');
}

/** Whether a refused heartbeat or commit means that the assignment is over. */
export function isGenerationOver(error: unknown): boolean {
  return GENERATION_OVER.has(brokerErrorType(error) ?? '');
}

export function isTopicUnknown(error: unknown): boolean {
  return TOPIC_UNKNOWN.has(brokerErrorType(error) ?? '');
}

/** Whether records that a request did not bring to the log with certainty may be there all the same. */
export function isMaybeStored(fate: PublishFate, error: unknown): boolean {
  if (fate === 'answered') return !NOT_APPENDED.has(brokerErrorType(error) ?? '');
  return fate === 'lost' && !NEVER_CONNECTED.has(findInChain(error, 'code') ?? '');
}

/**
 * What a failed call to the broker is to the rest of the system: `topic-unknown`, `broker-refused` (credentials or
 * permissions; trying again does not help) or `broker-unavailable`.
 */
export function toMessagingError(what: string, error: unknown): MessagingError {
  if (error instanceof MessagingError) return error;
  const type = brokerErrorType(error);
  const text = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'INVALID_TOPIC_EXCEPTION') {
    return new MessagingError('topic-unknown', text, { canRetry: false, cause: error });
  }
  if (isRefusal(error, type)) {
    return new MessagingError('broker-refused', text, { canRetry: false, cause: error });
  }
  return new MessagingError('broker-unavailable', text, { canRetry: true, cause: error });
}

function isRefusal(error: unknown, type: string | undefined): boolean {
  if (type?.endsWith('_AUTHORIZATION_FAILED') === true) return true;
  return chainOf(error).some(({ name }) => name === 'KafkaJSSASLAuthenticationError');
}

function findInChain(error: unknown, member: 'type' | 'code'): string | undefined {
  for (const link of chainOf(error)) {
    const value = (link as { type?: unknown; code?: unknown })[member];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The error and its causes; of an aggregate the first error counts. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSE_DEPTH) {
    chain.push(link);
    const { errors } = link as { errors?: unknown };
    link = link.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return chain;
}
