/** Codes of faults of a body that cannot be read as JSON at all; their path is `body`, or `Data` for the text in it. */
export const BODY_FAULTS = {
  'malformed-json': 'The text is not valid JSON',
  'not-utf8': 'The bytes are not valid UTF-8',
  'too-deep': 'Objects and arrays are nested too deep',
} as const;

export type BodyFaultCode = keyof typeof BODY_FAULTS;
