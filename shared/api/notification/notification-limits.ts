/** The limits of notifications, which the documents and the texts of faults state. */

import { MAX_MESSAGE_BYTES } from '../../messaging/topics/topic-list.ts';

const KIB = 1_024;
const MIB = KIB * KIB;

export const NOTIFICATION_LIMITS = {
  /** The limit of Twilio for an SMS, in UTF-16 units: 11 parts of 153 GSM characters, or 24 parts of 67 others. */
  smsCharacters: 1_600,
  /** Characters of the name of a sender (3GPP TS 23.040, 9.1.2.5: 11 characters of 7 bits). */
  smsSenderCharacters: 11,
  /** Characters of a telephone number as written, with blanks and brackets. */
  phoneCharacters: 40,
  /** Characters of an e-mail address: a path of RFC 5321 (4.5.3.1.3) without its brackets. */
  addressCharacters: 254,
  recipients: 50,
  addressListCharacters: 16_384,
  /** Bytes of the subject in UTF-8: the number of characters that a header line may have (RFC 5322, 2.1.1). */
  subjectBytes: 998,
  contentTypeCharacters: 64,
  attachments: 20,
  /** Decoded size of all files of an e-mail together. It leaves room for the text within `commandBytes`. */
  attachmentBytes: 7 * MIB,
  /** The longest name that common file systems allow. */
  attachmentNameCharacters: 255,
  idempotencyKeyCharacters: 255,
  batchMessages: 1_000,
  /** Faults that are listed for each notification of a batch. */
  batchErrors: 10,
  /** How far ahead `sendAt` may be: copies of its command are rewritten until then. */
  sendAheadMs: 7 * 24 * 3_600_000,
  /** Bytes of a command in Avro: a Kafka record of 8 MiB, less 64 KiB for the headers of retries and dead letters. */
  commandBytes: MAX_MESSAGE_BYTES - 64 * KIB,
} as const;
