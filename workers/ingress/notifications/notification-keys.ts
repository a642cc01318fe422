import { createHmac } from 'node:crypto';
import { createCommandProofs, ingressId, keyFor } from '../../../shared/notification/command-proof.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';

export interface KeyOwner {
  readonly subject: string;
  readonly channel: Channel;
  readonly idempotencyKey: string;
}

export type NotificationKeys = ReturnType<typeof createNotificationKeys>;

/** Derives ids, message keys and hashes of notifications from the secret of the result ids. If it changes, a repeat of a key is sent again (N3). */
export function createNotificationKeys(secret: string, newId: () => string) {
  const receivers = keyFor(secret, 'plat notification receiver');
  const ids = keyFor(secret, 'plat notification id');
  return {
    newId: () => ingressId(newId().replaceAll('-', '')),
    /** The id of a notification with this key. `formerId` is the id of the previous use of the key, if that has expired. */
    idOf: ({ subject, channel, idempotencyKey }: KeyOwner, formerId?: string): string => {
      const parts = ['platrealm', subject, channel, idempotencyKey];
      const text = JSON.stringify(formerId === undefined ? parts : [...parts, formerId]);
      return ingressId(createHmac('sha256', ids).update(text).digest('hex'));
    },
    /** The message key of a command: the same for all messages to one receiver, and no part of the receiver can be read from it. */
    receiverKey: (channel: Channel, receiver: string): string =>
      createHmac('sha256', receivers).update(`${channel}\n${receiver.toLowerCase()}`).digest('hex'),
    commands: createCommandProofs(secret),
  };
}
