import type { Fault } from '../platform/problem.ts';

const FIELD_PATH = /^[A-Za-z_]\w*(?:\[\d+\])*(?:\.[A-Za-z_]\w*(?:\[\d+\])*)*$/;

/**
 * The path of a field, as in `attachments[0].name`, or the name of a type; `?` for other text, which may be personal data at the
 * wrong place.
 */
export function plainPath(path: string): string {
  return FIELD_PATH.test(path) ? path : '?';
}

/** A fault of a message as one line, without any value of the message. */
export function faultText({ path, message }: Pick<Fault, 'path' | 'message'>): string {
  return `${plainPath(path)}: ${message}`;
}
