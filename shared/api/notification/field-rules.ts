/** The rules for the fields of a notification (N3, N4). Faults never repeat a value, which may be personal data. */

import { z } from 'zod';
import { CATEGORIES, type Attachment, type CommandOptions } from '../../notification/notification-command.ts';
import type { Fault } from '../../platform/problem.ts';
import { cleanFileName, FILE_EXTENSIONS, isAllowedName, isPlainFileName } from './attachments.ts';
import { nameCharacter } from './clean-text.ts';
import { cleanEmailAddress, nameAddressCharacter, readAddressList } from './email-address.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './notification-limits.ts';
import { cleanNumber, cleanPhoneNumber, cleanSmsSender, NOT_GSM } from './phone-number.ts';
import { shapeFault, type ShapeFaultCode } from '../json/faults.ts';

const EMPTY = 'must not be empty';
/** A text may be this many times as long as its limit before cleaning, which may shorten it. */
const RAW_FACTOR = 4;
const NO_CONTROLS = 'must not contain line breaks or other control characters';
const MIB = 1_024 * 1_024;
const TOO_LARGE = `must have at most ${LIMIT.attachmentBytes / MIB} MiB decoded, all files together`;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const DATE_TIME = z.iso.datetime({ offset: true });
const NOT_A_TIME = 'must be a date-time with its offset from UTC, such as 2026-05-01T09:30:00+03:00';
const DAY_MS = 24 * 3_600_000;
const NUL = '\u0000';
/** The content types of an e-mail, in lower case. US-ASCII is a subset of UTF-8, in which all texts are sent. */
const CONTENT_TYPE = /^(text\/(?:plain|html))\s*(?:;\s*(?:charset\s*=\s*("?)(?:utf-?8|us-ascii)\2\s*)?)?$/;

/** Collects the faults of a notification. A rule for one value returns it normalised, or undefined after a fault. */
export class NotificationRules {
  readonly faults: Fault[] = [];
  readonly #country: string | undefined;

  /** `country` (ISO 3166) applies to telephone numbers without a country code. */
  constructor(country?: string) {
    this.#country = country;
  }

  readonly phone = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value, LIMIT.phoneCharacters)) return undefined;
    const number = cleanPhoneNumber(value, this.#country);
    return number ?? this.#refuse(path, 'invalid-phone-number', PHONE + nameCharacter(cleanNumber(value)));
  };

  readonly smsSender = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value, LIMIT.phoneCharacters)) return undefined;
    const sender = cleanSmsSender(value, this.#country);
    return sender ?? this.#refuse(path, 'invalid-sender', SMS_SENDER + nameCharacter(value, NOT_GSM));
  };

  readonly smsText = (path: string, value: string): string | undefined => {
    const { smsCharacters } = LIMIT;
    if (value.length <= smsCharacters) return this.text(path, value);
    return this.#refuse(path, 'too-long', `must have at most ${smsCharacters} characters`);
  };

  readonly text = (path: string, value: string): string | undefined => {
    if (value.trim() === '') return this.#refuse(path, 'empty', EMPTY);
    if (!value.isWellFormed()) return this.#refuse(path, 'broken-text', BROKEN);
    return value.includes(NUL) ? this.#refuse(path, 'control-character', NO_NUL) : value;
  };

  readonly address = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value, LIMIT.addressCharacters)) return undefined;
    const address = cleanEmailAddress(value);
    return address ?? this.#refuse(path, 'invalid-address', ADDRESS + nameAddressCharacter(value));
  };

  /** The valid addresses of a list in one text (N4), none for a blank text. All invalid ones together add one fault. */
  readonly addresses = (path: string, value: string): readonly string[] => {
    if (value.length > LIMIT.addressListCharacters) this.#refuse(path, 'too-long', LONG_LIST);
    else if (value !== '' && this.#line(path, value, LIMIT.addressListCharacters)) {
      const { addresses, wrong } = readAddressList(value);
      if (wrong.length > 0)
        this.#refuse(path, 'invalid-address', wrongItems(wrong) + nameAddressCharacter(value));
      return addresses;
    }
    return [];
  };

  /** `cc` and `bcc`: numbers of addresses, none for campaigns (N8), whose link is the receiver's, who counts as one more. */
  recipients(cc: number, bcc: number, category: CommandOptions['category']): void {
    for (const [path, count] of Object.entries({ cc, bcc }))
      if (category === 'campaign' && count > 0) this.#refuse(path, 'mutually-exclusive', NO_COPIES);
    if (1 + cc + bcc <= LIMIT.recipients) return;
    const path = 1 + cc > LIMIT.recipients ? 'cc' : 'bcc';
    const message = `must leave receiver, cc and bcc together with at most ${LIMIT.recipients} recipients`;
    this.#refuse(path, 'too-many-recipients', message);
  }

  readonly subject = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value, LIMIT.subjectBytes)) return undefined;
    if (!value.isWellFormed()) return this.#refuse(path, 'broken-text', BROKEN);
    if (Buffer.byteLength(value) <= LIMIT.subjectBytes) return value;
    return this.#refuse(path, 'too-long', `must have at most ${LIMIT.subjectBytes} bytes in UTF-8`);
  };

  readonly contentType = (path: string, value: string): 'text/plain' | 'text/html' | undefined => {
    if (!this.#isShort(path, value, LIMIT.contentTypeCharacters)) return undefined;
    const [, type] = CONTENT_TYPE.exec(value.trim().toLowerCase()) ?? [];
    if (type === 'text/plain' || type === 'text/html') return type;
    return this.#refuse(path, 'unknown-value', CONTENT_TYPES);
  };

  readonly category = (path: string, value: string): CommandOptions['category'] => {
    const known = CATEGORIES.find((name) => name === value);
    return known ?? this.#refuse(path, 'unknown-value', `must be ${CATEGORIES.join(' or ')}`);
  };

  /** Epoch milliseconds of a date-time with its offset. */
  readonly time = (path: string, value: string): number | undefined => {
    const isTime = DATE_TIME.safeParse(value).success;
    return isTime ? Date.parse(value) : this.#refuse(path, 'invalid-date', NOT_A_TIME);
  };

  /** Refuses a `sendAt` that is too far after `fromMs`. Both are epoch milliseconds. */
  sendAt(sendAt: number | undefined, fromMs: number): void {
    if (sendAt !== undefined && sendAt - fromMs > LIMIT.sendAheadMs)
      this.#refuse('sendAt', 'too-far-ahead', `must be at most ${LIMIT.sendAheadMs / DAY_MS} days ahead`);
  }

  readonly fileName = (path: string, value: string): string | undefined => {
    if (value === '') return this.#refuse(path, 'empty', EMPTY);
    if (!this.#isShort(path, value, LIMIT.attachmentNameCharacters)) return undefined;
    const name = cleanFileName(value);
    if (!isPlainFileName(name)) return this.#refuse(path, 'invalid-name', FILE_NAME);
    return isAllowedName(name) ? name : this.#refuse(path, 'refused-type', REFUSED_TYPE);
  };

  /** Decodes base64 with padding and without line breaks. A text that is too long for the size limit is not decoded. */
  readonly base64 = (path: string, value: string): Buffer | undefined => {
    if (value === '') return this.#refuse(path, 'empty', EMPTY);
    if (value.length > ENCODED_ATTACHMENT) return this.#refuse(path, 'attachment-too-large', TOO_LARGE);
    const bytes = Buffer.from(value, 'base64');
    return bytes.toString('base64') === value ? bytes : this.#refuse(path, 'invalid-base64', BASE64);
  };

  totalSize(files: readonly (Attachment | undefined)[]): void {
    let total = 0;
    for (const [index, file] of files.entries()) {
      total += file?.content.length ?? 0;
      if (total <= LIMIT.attachmentBytes) continue;
      this.#refuse(`attachmentList[${index}].content`, 'attachment-too-large', TOO_LARGE);
      return;
    }
  }

  #isShort(path: string, value: string, limit: number): boolean {
    if (value.length <= RAW_FACTOR * limit) return true;
    this.#refuse(path, 'too-long', `must have at most ${limit} characters`);
    return false;
  }

  #line(path: string, value: string, limit: number): boolean {
    if (value === '') this.#refuse(path, 'empty', EMPTY);
    else if (!this.#isShort(path, value, limit)) return false;
    else if (CONTROLS.test(value))
      this.#refuse(path, 'control-character', NO_CONTROLS + nameCharacter(value, CONTROLS));
    else return true;
    return false;
  }

  #refuse(path: string, code: ShapeFaultCode, message: string): undefined {
    this.faults.push(shapeFault(path, code, message));
  }
}

const PHONE = 'must be an existing telephone number with its country code, such as +40722123456';
const SMS_SENDER = `must be a name of at most ${LIMIT.smsSenderCharacters} GSM characters, a telephone number with its country code, or a short code of 3 to 8 digits`;
const ADDRESS = `must be one plain e-mail address of at most ${LIMIT.addressCharacters} characters, without a display name`;
const NO_COPIES = 'must be empty for a campaign, whose link is that of its receiver';
const LONG_LIST = `must have at most ${LIMIT.addressListCharacters} characters`;
const BROKEN = 'must not contain an unpaired surrogate';
const NO_NUL = 'must not contain the character NUL';
const FILE_NAME = `must be the name of a file of at most ${LIMIT.attachmentNameCharacters} characters, without path separators, control characters and =?, and not begin with a dot`;
const REFUSED_TYPE = `must end in one of ${FILE_EXTENSIONS.join(', ')}`;
const CONTENT_TYPES = 'must be text/plain or text/html, with no parameter but charset=utf-8';
const BASE64 = 'must be base64 with its padding and without line breaks';
const ENCODED_ATTACHMENT = Math.ceil(LIMIT.attachmentBytes / 3) * 4;

function wrongItems(positions: readonly number[]): string {
  const which = positions.slice(0, LIMIT.recipients).join(', ');
  return `must contain plain e-mail addresses separated by ; or , (wrong: number ${which})`;
}
