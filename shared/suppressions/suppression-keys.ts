import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyFor } from '../notification/command-proof.ts';
import type { Channel } from '../notification/notification-command.ts';

export const UNSUBSCRIBE_PATH = '/api/notifications/v1/unsubscribe';

const HASH_BYTES = 16;
const TOKEN = /^([\w-]{22})\.([\w-]{22})$/;

/** Hashes of addresses, and the tokens of links to unsubscribe (N8). With another secret both differ. */
export function createSuppressionKeys(secret: string) {
  const addresses = keyFor(secret, 'plat notification suppression');
  const links = keyFor(secret, 'plat notification unsubscription');
  const hashOf = (channel: Channel, address: string): string => {
    // Some providers name a number without its plus.
    const written = channel === 'sms' ? address.replaceAll(/\D/g, '') : address.toLowerCase();
    return macOf(addresses, `${channel}\n${written}`);
  };
  return {
    hashOf,
    /** The token of a link for an e-mail address. It has no end, so that links of old mails work. */
    tokenOf: (address: string): string => {
      const hash = hashOf('email', address);
      return `${hash}.${macOf(links, hash)}`;
    },
    /** The hash of the address for which the token was made; undefined for any other text. */
    readToken: (token: string): string | undefined => {
      const [, hash = '', mac = ''] = TOKEN.exec(token) ?? [];
      const isOwn = mac !== '' && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(links, hash)));
      return isOwn ? hash : undefined;
    },
  };
}

function macOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest().toString('base64url', 0, HASH_BYTES);
}
