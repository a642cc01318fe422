import type { HeaderValue, MessageHeaders } from './message.ts';

const DECIMAL = /^\d{1,15}$/;

/** The value of a header without conversion; of a repeated header, its last value. */
export function headerValue(headers: MessageHeaders, name: string): HeaderValue | undefined {
  const value = headers[name];
  return isList(value) ? value.at(-1) : value;
}

/** A header as text (UTF-8). */
export function headerText(headers: MessageHeaders, name: string): string | undefined {
  return headerValue(headers, name)?.toString();
}

/** A header with a whole number as decimal text, e.g. epoch milliseconds; any other value counts as absent. */
export function headerNumber(headers: MessageHeaders, name: string): number | undefined {
  const text = headerText(headers, name);
  return text !== undefined && DECIMAL.test(text) ? Number(text) : undefined;
}

function isList(value: MessageHeaders[string]): value is readonly HeaderValue[] {
  return Array.isArray(value);
}
