import type MimeNode from 'nodemailer/lib/mime-node';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { MailAddress } from '../../../../shared/notification/sender-address.ts';

/** Short words of visible ASCII with single blanks between them, which fold into lines of any length; none of them looks encoded. */
const PLAIN = /^(?!.*=\?)[\x21-\x7e]{1,60}(?: [\x21-\x7e]{1,60})*$/;
const ASCII = /^[\x20-\x7e]*$/;
/** Characters of one encoded word (RFC 2047, 2), less those of the header's name. */
const MAX_WORD = 52;

/**
 * The text of a header as encoded words, if nodemailer would not encode it, and a reader would then decode a part of it (RFC 2047) or
 * get a line that is too long; otherwise undefined.
 */
export function encodeHeaderText(text: string): string | undefined {
  return ASCII.test(text) && !PLAIN.test(text) ? encodeWord(text, 'Q', MAX_WORD) : undefined;
}

/** Encodes the name of the sender by the same rule: nodemailer only quotes it, and many readers decode what is quoted. */
export function encodeSenderName(message: MimeNode, { name }: MailAddress): void {
  const encoded = encodeHeaderText(name);
  if (name === '' || encoded === undefined) return;
  const encode = message.encodeHeaderValue.bind(message);
  message.encodeHeaderValue = (key, value) => {
    const text = encode(key, value);
    return key === 'From' ? `${encoded} ${text.slice(text.lastIndexOf('<'))}` : text;
  };
}
