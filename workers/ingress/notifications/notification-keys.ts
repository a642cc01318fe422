import { createHmac } from 'node:crypto';
import { createCommandProofs, ingressId, keyFor } from '../../../shared/notification/command-proof.ts';
import { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';

export interface KeyOwner {
  readonly subject: string;
  readonly channel: Channel;
  readonly idempotencyKey: string;
}

export type NotificationKeys = ReturnType<typeof createNotificationKeys>;

/** Derives ids, message keys and hashes from the secret of result ids. If that changes, repeats are sent again (N3). */
export function createNotificationKeys(secret: string, newId: () => string) {
  const receivers = createReceiverHashes(secret);
  const ids = keyFor(secret, 'plat notification id');
  return {
    newId: () => ingressId(newId().replaceAll('-', '')),
    /** The notification id for a key. `formerId`: the id of the previous, expired use of the key. */
    idOf: ({ subject, channel, idempotencyKey }: KeyOwner, formerId?: string): string => {
      const parts = ['platrealm', subject, channel, idempotencyKey];
      const text = JSON.stringify(formerId === undefined ? parts : [...parts, formerId]);
      return ingressId(createHmac('sha256', ids).update(text).digest('hex'));
    },
    receiverKey: receivers.keyOf,
    receiverHash: receivers.hashOf,
    commands: createCommandProofs(secret),
  };
}
