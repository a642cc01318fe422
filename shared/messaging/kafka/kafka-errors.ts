import { MessagingError, errorText } from '../../platform/errors.ts';

/** Includes a margin: clients nest three errors (in kafkajs: retries exceeded, non-retriable error, protocol error). */
const MAX_CAUSE_DEPTH = 8;

/** This generation of a group is over, or this member is no longer in the group. */
const GENERATION_OVER = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);
const TOPIC_UNKNOWN = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION']);
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** Errors of a record, or of the access to its topic. A retry would end with the same error. */
const REFUSED = new Set([
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'CORRUPT_MESSAGE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);
/** Kafka's name of an error, from the chain of causes: kafkajs has it in `type`, @platformatic/kafka in `apiId`. */
export function brokerErrorType(error: unknown): string | undefined {
  return findInChain(error, 'type') ?? findInChain(error, 'apiId');
}

export function isGenerationOver(error: unknown): boolean {
  return GENERATION_OVER.has(brokerErrorType(error) ?? '');
}

/** True if a topic does not exist, or if this client may not access it. */
export function isTopicUnknown(error: unknown): boolean {
  const type = brokerErrorType(error) ?? '';
  return type === 'TOPIC_AUTHORIZATION_FAILED' || TOPIC_UNKNOWN.has(type);
}

/** True even for NOT_LEADER_OR_FOLLOWER and UNKNOWN_TOPIC_OR_PARTITION: the batch may have been appended before. */
export function isMaybeStored(error: unknown): boolean {
  if (refusedRecord(error) !== undefined) return false;
  return brokerErrorType(error) !== 'NOT_ENOUGH_REPLICAS';
}

/** Converts errors of the clients to `topic-unknown`, `broker-refused` (login, permissions) or `broker-unavailable`. */
export function toMessagingError(what: string, error: unknown): MessagingError {
  if (error instanceof MessagingError) return error;
  const type = brokerErrorType(error) ?? '';
  // The text of a failed response in @platformatic/kafka does not name its errors: their field `apiId` does.
  const apiId = findInChain(error, 'apiId');
  const reasons = new Set(chainOf(error).map(({ message }) => message));
  const text = `${what}: ${[...reasons].join(': ')}${apiId === undefined ? '' : ` (${apiId})`}`;
  if (TOPIC_UNKNOWN.has(type))
    return new MessagingError('topic-unknown', text, { canRetry: false, cause: error });
  const isRefused = type.endsWith('_AUTHORIZATION_FAILED') || isLoginRefused(chainOf(error));
  const code = isRefused ? 'broker-refused' : 'broker-unavailable';
  return new MessagingError(code, text, { canRetry: !isRefused, cause: error });
}

/** The rejection if a record or the access to its topic is refused, else undefined. Brokers do not name the record. */
export function refusedRecord(error: unknown): MessagingError | undefined {
  const type = brokerErrorType(error) ?? '';
  const options = { canRetry: false, cause: error };
  if (TOO_LARGE.has(type)) return new MessagingError('message-too-large', errorText(error), options);
  const isUnwritable = error instanceof TypeError || error instanceof RangeError;
  if (!REFUSED.has(type) && !isUnwritable) return undefined;
  return new MessagingError('not-sent', `the broker rejects the message: ${errorText(error)}`, options);
}

/** With @platformatic/kafka, false if the connection broke during the login. */
function isLoginRefused(chain: readonly ErrorFields[]): boolean {
  if (chain.some(({ name }) => name === 'KafkaJSSASLAuthenticationError')) return true;
  const login = chain.findIndex(({ code }) => code === 'PLT_KFK_AUTHENTICATION');
  return login >= 0 && !chain.slice(login).some(({ code }) => code === 'PLT_KFK_NETWORK');
}

type ErrorFields = Error & { readonly [Field in 'type' | 'apiId' | 'code' | 'errors']?: unknown };

function findInChain(error: unknown, field: 'type' | 'apiId'): string | undefined {
  const values = chainOf(error).map((link) => link[field]);
  return values.find((value) => typeof value === 'string');
}

function chainOf(error: unknown): ErrorFields[] {
  const chain: ErrorFields[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSE_DEPTH) {
    const { errors }: ErrorFields = link;
    chain.push(link);
    link = link.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return chain;
}
