const CODE = 'ERR_BROKEN_RESPONSE';

/**
 * A response that cannot be what the broker sent. kafkajs repeats a request that failed with it: the error is none of those
 * (RangeError, TypeError) that kafkajs takes for faults of its own.
 */
export function brokenResponse(what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? `${what}: ${cause.message}` : what;
  return Object.assign(new Error(reason, { cause }), { code: CODE });
}

export function isBrokenResponse(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === CODE;
}
