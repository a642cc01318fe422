import { MessagingError, errorText } from '../../../../platform/errors.ts';

/** The clients nest causes three deep (for kafkajs: retries exceeded, non-retriable wrapper, protocol error); the rest is a margin. */
const MAX_CAUSE_DEPTH = 8;

/** Error codes of the group coordinator: this generation is over, or this member is no longer in the group. */
const GENERATION_OVER: ReadonlySet<string> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
]);

/** The topic or its named partition does not exist, or this client may not access it. */
const TOPIC_UNKNOWN: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
]);

/** Socket errors that occur only while connecting, so that no request was written. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Error codes that a leader returns only before it appends. NOT_LEADER_OR_FOLLOWER and UNKNOWN_TOPIC_OR_PARTITION are not
 * among them: both also occur when leadership moves while an appended batch waits for its followers.
 */
const NOT_APPENDED: ReadonlySet<string> = new Set([
  'NOT_ENOUGH_REPLICAS',
  'TOPIC_AUTHORIZATION_FAILED',
  'CORRUPT_MESSAGE',
]);

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Error codes that concern a record or its topic and do not change on a retry. */
const REFUSED: ReadonlySet<string> = new Set([
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'CORRUPT_MESSAGE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/**
 * The Kafka error name (`type` in kafkajs, `apiId` in @platformatic/kafka), from anywhere in the chain of causes. For some
 * errors the two have different names.
 */
export function brokerErrorType(error: unknown): string | undefined {
  return findInChain(error, 'type') ?? findInChain(error, 'apiId');
}

/** Whether a failed heartbeat or commit means that the member has lost its assignment. */
export function isGenerationOver(error: unknown): boolean {
  return GENERATION_OVER.has(brokerErrorType(error) ?? '');
}

export function isTopicUnknown(error: unknown): boolean {
  return TOPIC_UNKNOWN.has(brokerErrorType(error) ?? '');
}

/** Whether the records of a partition may be on the log after a failed send; `isSent`: its request was sent. */
export function isMaybeStored(error: unknown, isSent: boolean): boolean {
  const type = brokerErrorType(error);
  if (type !== undefined) return !NOT_APPENDED.has(type);
  return isSent && !NEVER_CONNECTED.has(findInChain(error, 'code') ?? '');
}

/**
 * Classifies a failed call to the broker: `topic-unknown`, `broker-refused` (credentials or permissions; a retry does not
 * help) or `broker-unavailable`.
 */
export function toMessagingError(what: string, error: unknown): MessagingError {
  if (error instanceof MessagingError) return error;
  const type = brokerErrorType(error);
  // The text of a response with errors in @platformatic/kafka does not name them.
  const apiId = findInChain(error, 'apiId');
  const reasons = new Set(chainOf(error).map(({ message }) => message));
  const text = `${what}: ${[...reasons].join(': ')}${apiId === undefined ? '' : ` (${apiId})`}`;
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'INVALID_TOPIC_EXCEPTION') {
    return new MessagingError('topic-unknown', text, { canRetry: false, cause: error });
  }
  if (isRefusal(error, type)) {
    return new MessagingError('broker-refused', text, { canRetry: false, cause: error });
  }
  return new MessagingError('broker-unavailable', text, { canRetry: true, cause: error });
}

/**
 * The error for the record that made a request fail; undefined when no record is at fault, and the request is repeated. A
 * broker names the partition but not the record, so the caller has to find it.
 */
export function refusedRecord(error: unknown): MessagingError | undefined {
  const type = brokerErrorType(error) ?? '';
  if (TOO_LARGE.has(type)) {
    return new MessagingError('message-too-large', errorText(error), { canRetry: false, cause: error });
  }
  // An encoder throws only because of the value.
  const isUnwritable = error instanceof TypeError || error instanceof RangeError;
  if (!REFUSED.has(type) && !isUnwritable) return undefined;
  const text = `the broker rejects the message: ${errorText(error)}`;
  return new MessagingError('not-sent', text, { canRetry: false, cause: error });
}

function isRefusal(error: unknown, type: string | undefined): boolean {
  if (type?.endsWith('_AUTHORIZATION_FAILED') === true) return true;
  return isLoginRefused(chainOf(error));
}

/** A login that ended with the connection was not refused. */
function isLoginRefused(chain: readonly Error[]): boolean {
  if (chain.some(({ name }) => name === 'KafkaJSSASLAuthenticationError')) return true;
  const login = chain.findIndex((link) => codeOf(link) === 'PLT_KFK_AUTHENTICATION');
  return login >= 0 && !chain.slice(login).some((link) => codeOf(link) === 'PLT_KFK_NETWORK');
}

function codeOf(error: Error): unknown {
  return (error as { readonly code?: unknown }).code;
}

function findInChain(error: unknown, field: 'type' | 'apiId' | 'code'): string | undefined {
  for (const link of chainOf(error)) {
    const value = (link as { type?: unknown; apiId?: unknown; code?: unknown })[field];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The error and its causes; an aggregate error counts as the first of its errors. */
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
