/**
 * The rules of the fields of a notification (N3, N4): they normalise HTTP bodies and JSON messages, and check Avro
 * commands. Faults never repeat a value, which may be personal data.
 */

import type { Attachment } from '../../notification/command.ts';
import type { Fault } from '../../platform/problem.ts';
import { isPlainFileName, isRunnableName } from './attachments.ts';
import { cleanEmailAddress, readAddressList } from './email-address.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './limits.ts';
import { cleanPhoneNumber, cleanSmsSender } from './phone-number.ts';
import { shapeFault, type ShapeFaultCode } from '../json/faults.ts';

const EMPTY = 'must not be empty';
const NO_CONTROLS = 'must not contain line breaks or other control characters';
const MIB = 1_024 * 1_024;
const TOO_LARGE = `must have at most ${LIMIT.attachmentBytes / MIB} MiB decoded, all files together`;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const NUL = '\u0000';

/** Collects the faults of one notification; each rule returns the normalised value, or undefined and adds a fault. */
export class NotificationRules {
  readonly faults: Fault[] = [];
  readonly #country: string | undefined;

  /** `country` (ISO 3166) applies to telephone numbers without a country code. */
  constructor(country?: string) {
    this.#country = country;
  }

  /** The receiver of an SMS as E.164 (N4). */
  readonly phone = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value)) return undefined;
    const number = cleanPhoneNumber(value, this.#country);
    return number ?? this.#refuse(path, 'invalid-phone-number', PHONE);
  };

  readonly smsSender = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value)) return undefined;
    return cleanSmsSender(value, this.#country) ?? this.#refuse(path, 'invalid-sender', SMS_SENDER);
  };

  readonly smsText = (path: string, value: string): string | undefined => {
    const { smsCharacters } = LIMIT;
    if (value.length <= smsCharacters) return this.text(path, value);
    return this.#refuse(path, 'too-long', `must have at most ${smsCharacters} characters`);
  };

  /** The text of a message, which must not be blank; returned unchanged. */
  readonly text = (path: string, value: string): string | undefined => {
    if (value.trim() === '') return this.#refuse(path, 'empty', EMPTY);
    if (!value.isWellFormed()) return this.#refuse(path, 'broken-text', BROKEN);
    return value.includes(NUL) ? this.#refuse(path, 'control-character', NO_NUL) : value;
  };

  /** One e-mail address. */
  readonly address = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value)) return undefined;
    return cleanEmailAddress(value) ?? this.#refuse(path, 'invalid-address', ADDRESS);
  };

  /** A list of addresses in one text (N4); a blank text is an empty list. */
  readonly addresses = (path: string, value: string): readonly string[] => {
    if (CONTROLS.test(value)) this.#refuse(path, 'control-character', NO_CONTROLS);
    else if (value.length > LIMIT.addressListCharacters) this.#refuse(path, 'too-long', LONG_LIST);
    else {
      const { addresses, wrong } = readAddressList(value);
      if (wrong.length > 0) this.#refuse(path, 'invalid-address', wrongItems(wrong));
      return addresses;
    }
    return [];
  };

  /** The number of receiver, cc and bcc together; the fault is at the list that exceeds the limit. */
  recipients(cc: number, bcc: number): void {
    if (1 + cc + bcc <= LIMIT.recipients) return;
    const path = 1 + cc > LIMIT.recipients ? 'cc' : 'bcc';
    const message = `must leave at most ${LIMIT.recipients} recipients, receiver, cc and bcc together`;
    this.#refuse(path, 'too-many-recipients', message);
  }

  /** The subject, one header line. */
  readonly subject = (path: string, value: string): string | undefined => {
    if (!this.#line(path, value)) return undefined;
    if (!value.isWellFormed()) return this.#refuse(path, 'broken-text', BROKEN);
    if (Buffer.byteLength(value) <= LIMIT.subjectBytes) return value;
    return this.#refuse(path, 'too-long', `must have at most ${LIMIT.subjectBytes} bytes in UTF-8`);
  };

  readonly contentType = (path: string, value: string): 'text/plain' | 'text/html' | undefined => {
    if (value === 'text/plain' || value === 'text/html') return value;
    return this.#refuse(path, 'unknown-value', 'must be text/plain or text/html');
  };

  readonly fileName = (path: string, value: string): string | undefined => {
    if (value === '') return this.#refuse(path, 'empty', EMPTY);
    if (!isPlainFileName(value)) return this.#refuse(path, 'invalid-name', FILE_NAME);
    return isRunnableName(value) ? this.#refuse(path, 'refused-type', PROGRAM) : value;
  };

  /** Decodes strict base64, unless the text is too long for the size limit. */
  readonly base64 = (path: string, value: string): Buffer | undefined => {
    if (value === '') return this.#refuse(path, 'empty', EMPTY);
    if (value.length > ENCODED_ATTACHMENT) return this.#refuse(path, 'attachment-too-large', TOO_LARGE);
    const bytes = Buffer.from(value, 'base64');
    return bytes.toString('base64') === value ? bytes : this.#refuse(path, 'invalid-base64', BASE64);
  };

  /** The size of all files; the fault is at the first file that exceeds the limit. */
  totalSize(files: readonly (Attachment | undefined)[]): void {
    let total = 0;
    for (const [index, file] of files.entries()) {
      total += file?.content.length ?? 0;
      if (total <= LIMIT.attachmentBytes) continue;
      this.#refuse(`attachmentList[${index}].content`, 'attachment-too-large', TOO_LARGE);
      return;
    }
  }

  #line(path: string, value: string): boolean {
    if (value === '') this.#refuse(path, 'empty', EMPTY);
    else if (CONTROLS.test(value)) this.#refuse(path, 'control-character', NO_CONTROLS);
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
const LONG_LIST = `must have at most ${LIMIT.addressListCharacters} characters`;
const BROKEN = 'must not contain an unpaired surrogate';
const NO_NUL = 'must not contain the character NUL';
const FILE_NAME = `must be the name of a file of at most ${LIMIT.attachmentNameCharacters} characters, without path separators and control characters, and not begin with a dot`;
const PROGRAM = 'must not have the extension of a program or a script';
const BASE64 = 'must be base64 with its padding and without line breaks';
/** Base64 characters of the largest file. */
const ENCODED_ATTACHMENT = Math.ceil(LIMIT.attachmentBytes / 3) * 4;

function wrongItems(places: readonly number[]): string {
  const which = places.slice(0, LIMIT.recipients).join(', ');
  return `must contain plain e-mail addresses separated by ; or , (wrong: number ${which})`;
}
