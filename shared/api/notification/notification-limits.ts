/** The limits of notifications, which documents and faults name. */

const KIB = 1_024;
const MIB = KIB * KIB;

export const NOTIFICATION_LIMITS = {
  /** UTF-16 units of an SMS, as many as providers accept: 11 parts of 153 GSM characters, or 24 parts of 67 other ones. */
  smsCharacters: 1_600,
  /** Characters of an alphanumeric sender (3GPP TS 23.040, 9.1.2.5: 11 septet characters). */
  smsSenderCharacters: 11,
  /** Characters of a telephone number as written, with blanks and brackets. */
  phoneCharacters: 40,
  /** Characters of an e-mail address: a path of RFC 5321 (4.5.3.1.3) without its brackets. */
  addressCharacters: 254,
  recipients: 50,
  addressListCharacters: 16_384,
  /** Bytes of a header line (RFC 5322, 2.1.1). */
  subjectBytes: 998,
  contentTypeCharacters: 64,
  attachments: 20,
  /** Decoded size of one file and of all files together: with its text the command still fits into a Kafka record (E6). */
  attachmentBytes: 7 * MIB,
  /** As many as common file systems allow. */
  attachmentNameCharacters: 255,
  idempotencyKeyCharacters: 255,
  /** A command in Avro: a record of 8 MiB, less the headers that retries and dead letters add. */
  commandBytes: 8 * MIB - 64 * KIB,
} as const;
