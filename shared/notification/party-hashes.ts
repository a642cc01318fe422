/** Hashes that stand for the parties of a notification on topics and in lists. */

import { createHash, createHmac } from 'node:crypto';
import { keyFor } from './command-proof.ts';
import type { Channel } from './notification-command.ts';

/** The pseudonym of a caller in ids and records: a truncated hash, whose 96 bits make collisions negligible. */
export function hashSubject(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 16);
}

/** Length in hexadecimal digits: 64 bits tell receivers apart. */
const RECEIVER_HASH_DIGITS = 16;

/** Keyed hashes of receivers: the same for all messages to a receiver, but without the secret they do not reveal it. */
export function createReceiverHashes(secret: string) {
  const receivers = keyFor(secret, 'plat notification receiver');
  const keyOf = (channel: Channel, receiver: string): string =>
    createHmac('sha256', receivers).update(`${channel}\n${receiver.toLowerCase()}`).digest('hex');
  return {
    /** The message key of a command of the ingress. */
    keyOf,
    /** The hash that lists show (N14): the start of the message key. */
    hashOf: (channel: Channel, receiver: string): string =>
      keyOf(channel, receiver).slice(0, RECEIVER_HASH_DIGITS),
  };
}
