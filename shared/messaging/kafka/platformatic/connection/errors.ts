import { protocolErrorsCodesById } from '@platformatic/kafka';

/** Kafka's name of an error code, as the library and `brokerErrorType` use it; undefined for 0. */
export function brokerErrorName(code: number): string | undefined {
  if (code === 0) return undefined;
  return protocolErrorsCodesById[code] ?? `ERROR_${code}`;
}

/** The error of a code in a response. The library itself throws a TypeError on one that it does not know. */
export function brokerError(code: number): Error {
  const apiId = brokerErrorName(code);
  return Object.assign(new Error(`the broker responded with ${apiId}`), { apiId });
}
