/** Proofs that the ingress wrote a command, and hashes that tell apart texts under the same id (N3). */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { CommandOptions, EmailCommand, SmsCommand } from './notification-command.ts';
import { formatUuid } from './notification-id.ts';

const KEY_BYTES = 32;
/** Ids of the ingress are UUIDs of this version. Upstream systems must use other versions. */
const VERSION = '8';
const VERSION_AT = 14;
/** Length in characters of base64url. 48 bits are enough to tell texts apart, but too few to reveal the proof. */
const TEXT_HASH_CHARACTERS = 8;

/** Derives a key for one purpose from a secret (HKDF, RFC 5869). */
export function keyFor(secret: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
}

/** Compares two texts in a time that depends on their lengths only. */
export function isEqualSecret(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Makes an id from the first 32 hexadecimal digits by setting the bits of version and variant. */
export function ingressId(digits: string): string {
  return formatUuid(digits, VERSION);
}

/** True if the version is that of ingress ids. Commands under such an id need a proof. */
export function isIngressId(id: string): boolean {
  return id[VERSION_AT] === VERSION;
}

export type CommandProofs = ReturnType<typeof createCommandProofs>;

export function createCommandProofs(secret: string) {
  const key = keyFor(secret, 'plat notification command');
  return {
    /** Returns the same hash for commands that differ only in their id. */
    hash: (command: SmsCommand | EmailCommand): string => {
      const hash = createHmac('sha256', key).update(JSON.stringify(textsOf(command)));
      if ('attachments' in command) for (const { content } of command.attachments) hash.update(content);
      return hash.digest('base64url');
    },
    /** Proves that this command was written under the id by a process that knows the secret. */
    prove: (id: string, commandHash: string): string =>
      createHmac('sha256', key).update(`${id}\n${commandHash}`).digest('base64url'),
  };
}

export interface CommandText {
  /** Differs for another text under the same id. Undefined without a secret: a plain hash would reveal short texts. */
  readonly textHash: string | undefined;
  /** True if the id is an ingress id, but the proof is missing or wrong. */
  readonly isForeign: boolean;
}

/** The check verifies proofs with the secret of the ingress. Without a secret it accepts any proof. */
export function createCommandCheck(secret: string | undefined) {
  const proofs = secret === undefined ? undefined : createCommandProofs(secret);
  return (id: string, command: SmsCommand | EmailCommand, proof: string | undefined): CommandText => {
    const own = proofs?.prove(id, proofs.hash(command));
    const isProven = proof !== undefined && (own === undefined || proof === own);
    return { textHash: own?.slice(0, TEXT_HASH_CHARACTERS), isForeign: isIngressId(id) && !isProven };
  };
}

/** Texts that a template replaces do not count, so that a command has one hash before and after it is filled in. */
function textsOf(command: SmsCommand | EmailCommand): unknown {
  const { sender, receiver, template } = command;
  const message = template === undefined ? command.message : '';
  if (!('subject' in command)) return [sender, receiver, message, ...optionsOf(command)];
  const { cc, bcc, attachments } = command;
  const [subject, contentType] = template === undefined ? [command.subject, command.contentType] : [];
  const files = attachments.map(({ name, content }) => [name, content.length]);
  return [sender, receiver, message, subject, cc, bcc, contentType, files, ...optionsOf(command)];
}

/** None if a command has no option, so that its hash is the same as without the fields. */
function optionsOf({ category: sent, sendAt, template }: CommandOptions): readonly unknown[] {
  const category = sent === 'campaign' ? sent : undefined;
  if (category === undefined && sendAt === undefined && template === undefined) return [];
  if (template === undefined) return [{ category, sendAt }];
  const { name, language, fields } = template;
  const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [{ category, sendAt, name, language, fields: sorted }];
}
