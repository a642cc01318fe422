/** Whether a caller accepts a content coding (RFC 9110 section 12.5.3). */
export function acceptsCoding(acceptEncoding: string | undefined, coding: 'br' | 'gzip'): boolean {
  return CODINGS[coding].test(acceptEncoding ?? '');
}

/** The name, unless its weight is zero; in any case, as the name of the weight. */
const CODINGS = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
};
