/** The setting NOTIFICATION_CALLBACKS: where senders get the outcomes of their notifications (N13). */

import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopback } from './host-names.ts';
import { anyText, mustBe } from './json-kinds.ts';
import { parseJson } from './parse-json.ts';
import { isPublicAddress } from './public-address.ts';

/** Each has connections and memory of its own. */
const MAX_CALLBACKS = 100;
/** 24 to 64 bytes, as Standard Webhooks recommends. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

const callback = z
  .strictObject({
    /** Empty for callers of an ingress without access control. */
    sender: anyText(),
    url: anyText(),
    secret: anyText().regex(SECRET, 'must be whsec_ and 24 to 64 bytes in base64'),
    allowPrivate: z.boolean({ error: mustBe('true or false') }).default(false),
  })
  .refine(({ url, allowPrivate }) => mayReach(URL.parse(url), allowPrivate), {
    path: ['url'],
    error:
      'must be an https address without user and password, of another network unless allowPrivate is set',
  })
  .transform(({ url, secret, ...others }) => {
    return { ...others, url: new URL(url), key: Buffer.from(secret.slice('whsec_'.length), 'base64') };
  });

export type CallbackSettings = Readonly<z.output<typeof callback>>;

/** Reads the JSON of the setting. Its messages never quote a value, since secrets and addresses are confidential. */
export const callbackSettings = z
  .string()
  .transform((json) => {
    const parsed = parseJson(json, { maxValues: Infinity });
    return parsed.kind === 'refused' ? undefined : parsed.value;
  })
  .pipe(
    z
      .array(callback, { error: 'must be a list in JSON' })
      .max(MAX_CALLBACKS, `must have at most ${MAX_CALLBACKS} entries`)
      .refine(
        (all) => new Set(all.map(({ sender }) => sender)).size === all.length,
        'must not repeat a sender',
      ),
  );

/** Names are checked when they are resolved. With `allowPrivate`, http on loopback is allowed too. */
function mayReach(url: URL | null, allowPrivate: boolean): boolean {
  if (url === null || url.username + url.password !== '') return false;
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (allowPrivate) return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(address));
  return url.protocol === 'https:' && (isIP(address) === 0 || isPublicAddress(address));
}
