import { createHmac, hkdfSync } from 'node:crypto';
import type { Channel, EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';
import { uuidV5 } from '../../../shared/notification/uuid-v5.ts';

/** Namespace of ids derived from an Idempotency-Key (RFC 9562, 5.5). If it changed, repeats would be sent again. */
const NAMESPACE = '5a3d0f6e-7c1b-4e52-9f58-0c6a4d2b9e71';
const REALM = 'platrealm';
const KEY_BYTES = 32;

/** The scope of an Idempotency-Key. */
export interface KeyOwner {
  readonly subject: string;
  readonly channel: Channel;
  readonly idempotencyKey: string;
}

/** The ids and hashes of notifications; the same on every instance that shares the secret. */
export interface NotificationKeys {
  newId(): string;
  /**
   * The notification id of a caller's key. `formerId` is set for a new use of an expired key: the id of the use before it.
   */
  idOf(owner: KeyOwner, formerId?: string): string;
  /** Message key of a command: the same for all messages to one receiver, and opaque. */
  receiverKey(channel: Channel, receiver: string): string;
  /** Equal for equal commands. */
  commandHash(command: SmsCommand | EmailCommand): string;
}

/** `secret` is that of the result ids, from which a separate key is derived for each use (RFC 5869). */
export function createNotificationKeys(secret: string, newId: () => string): NotificationKeys {
  const keyFor = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
  const receivers = keyFor('plat notification receiver');
  const commands = keyFor('plat notification command');
  return {
    newId,
    idOf: ({ subject, channel, idempotencyKey }, formerId) => {
      const parts = [REALM, subject, channel, idempotencyKey];
      return uuidV5(JSON.stringify(formerId === undefined ? parts : [...parts, formerId]), NAMESPACE);
    },
    receiverKey: (channel, receiver) =>
      createHmac('sha256', receivers).update(`${channel}\n${receiver.toLowerCase()}`).digest('hex'),
    commandHash: (command) => {
      const { notificationId: _, ...fields } = command;
      const files = 'attachments' in fields ? fields.attachments : [];
      const texts = { ...fields, attachments: files.map(({ name, content }) => [name, content.length]) };
      const hash = createHmac('sha256', commands).update(JSON.stringify(texts));
      for (const { content } of files) hash.update(content);
      return hash.digest('base64url');
    },
  };
}
