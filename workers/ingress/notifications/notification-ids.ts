import { createHmac } from 'node:crypto';
import type { Channel } from '../../../shared/notification/command.ts';
import {
  createCommandProofs,
  ingressId,
  keyFor,
  type CommandProofs,
} from '../../../shared/notification/command-proof.ts';

const REALM = 'platrealm';

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
   * The notification id of a caller's key, which only those who know the secret can derive. `formerId` is set for a new use of an expired key: the id of the use before it.
   */
  idOf(owner: KeyOwner, formerId?: string): string;
  /** Message key of a command: the same for all messages to one receiver, and opaque. */
  receiverKey(channel: Channel, receiver: string): string;
  readonly commands: CommandProofs;
}

/**
 * `secret` is that of the result ids, from which a separate key is derived for each use. If it changes, repeats of an
 * Idempotency-Key are sent again.
 */
export function createNotificationKeys(secret: string, newId: () => string): NotificationKeys {
  const receivers = keyFor(secret, 'plat notification receiver');
  const ids = keyFor(secret, 'plat notification id');
  return {
    newId: () => ingressId(newId().replaceAll('-', '')),
    idOf: ({ subject, channel, idempotencyKey }, formerId) => {
      const parts = [REALM, subject, channel, idempotencyKey];
      const text = JSON.stringify(formerId === undefined ? parts : [...parts, formerId]);
      return ingressId(createHmac('sha256', ids).update(text).digest('hex'));
    },
    receiverKey: (channel, receiver) =>
      createHmac('sha256', receivers).update(`${channel}\n${receiver.toLowerCase()}`).digest('hex'),
    commands: createCommandProofs(secret),
  };
}
