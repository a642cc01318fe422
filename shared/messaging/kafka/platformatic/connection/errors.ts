import { ProtocolError, protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka';

/** Kafka's name of an error code, as the library and `brokerErrorType` use it; undefined for 0. */
export function brokerErrorName(code: number): string | undefined {
  if (code === 0) return undefined;
  return protocolErrorsCodesById[code] ?? `ERROR_${code}`;
}

/**
 * The error of a code or name in a response, with the text of the broker. The library itself throws a TypeError on one that it
 * does not know.
 */
export function brokerError(codeOrName: number | string, text?: string | null): Error {
  const name = typeof codeOrName === 'number' ? brokerErrorName(codeOrName) : codeOrName;
  if (name === undefined || protocolErrors[name] === undefined) {
    return new Error(`the broker responded with the unknown error ${codeOrName}`);
  }
  const error = new ProtocolError(name);
  if (typeof text === 'string') error.message += ` (${text})`;
  return error;
}
