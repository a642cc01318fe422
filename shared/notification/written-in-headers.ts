/** Whether a text can stand in a header as it is. */
export const isVisibleAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
/** The message where it cannot. */
export const HEADER_TEXT = 'must be of visible ASCII characters, as headers are';

/** One-click addresses stand in angle brackets in a header (RFC 8058). */
export function isUnsubscribeUrl(url: string): boolean {
  return (
    /^https:\/\/[\x21-\x7e]+$/i.test(url) && !/[<>]/.test(url) && URL.canParse(url.replaceAll('{id}', 'x'))
  );
}
