/** The setting NOTIFICATION_CALLBACKS: where senders get the outcomes of their notifications (N13). */

import { isIP } from 'node:net';
import { z } from 'zod';
import { ConfigError } from '../platform/errors.ts';
import { isLoopback } from '../platform/host-names.ts';
import { mustBe, oneOf } from '../platform/json-kinds.ts';
import { parseJson } from '../platform/parse-json.ts';
import { RECEIPT_STATUSES } from './notification-state.ts';
import { isPublicAddress } from './public-address.ts';

/** The final states. */
export const CALLBACK_STATUSES = [
  ...(['sent', 'failed', 'parked', 'suppressed', 'cancelled'] as const),
  ...RECEIPT_STATUSES,
] as const;

/** Each has connections and memory of its own. */
const MAX_CALLBACKS = 100;
/** Characters of a sender or an address. */
const MAX_TEXT = 2_048;
/** 24 to 64 bytes, as Standard Webhooks recommends. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;

const text = z.string({ error: mustBe('text') });
const entry = z
  .strictObject({
    /** Empty for callers of an ingress without access control. */
    sender: text.max(MAX_TEXT, `must have at most ${MAX_TEXT} characters`),
    url: text,
    secret: text.regex(SECRET, 'must be whsec_ and 24 to 64 bytes in base64'),
    statuses: z
      .array(oneOf(CALLBACK_STATUSES), { error: mustBe('a list of statuses') })
      .min(1, 'must have at least one status')
      .default([...CALLBACK_STATUSES]),
    allowPrivate: z.boolean({ error: mustBe('true or false') }).default(false),
  })
  .superRefine(({ url, allowPrivate }, context) => {
    const message = addressFault(url, allowPrivate);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['url'], message });
  })
  .transform(({ sender, url, secret, statuses, allowPrivate }) => ({
    sender,
    url: new URL(url),
    key: Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64'),
    statuses: new Set<string>(statuses) as ReadonlySet<string>,
    allowPrivate,
  }));
const entries = z
  .array(entry, { error: mustBe('a list of objects') })
  .max(MAX_CALLBACKS, `must have at most ${MAX_CALLBACKS} entries`)
  .refine((all) => new Set(all.map(({ sender }) => sender)).size === all.length, 'must not repeat a sender');

export type CallbackSettings = Readonly<z.output<typeof entry>>;

/** Throws ConfigError with all faults. It never quotes a value, since secrets and addresses are confidential. */
export function readCallbackSettings(json: string): readonly CallbackSettings[] {
  const parsed = parseJson(json, { whole: 'value', maxValues: Infinity });
  if (parsed.kind === 'refused') throw invalidSetting(['must be valid JSON']);
  const read = entries.safeParse(parsed.value);
  if (read.success) return read.data;
  throw invalidSetting(
    read.error.issues.map((issue) => {
      const path = issue.path
        .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
        .join('');
      return issue.code === 'unrecognized_keys'
        ? `${path} has an unknown setting`
        : `${path} ${issue.message}`;
    }),
  );
}

function addressFault(url: string, allowPrivate: boolean): string | undefined {
  const { protocol, hostname, username, password } = URL.parse(url.slice(0, MAX_TEXT)) ?? NO_ADDRESS;
  if (username !== '' || password !== '') return 'must not contain a user or password';
  const isLocal = allowPrivate && isLoopback(hostname);
  if (url.length > MAX_TEXT || (protocol !== 'https:' && !(protocol === 'http:' && isLocal)))
    return `must be an https address of at most ${MAX_TEXT} characters, or with allowPrivate http on loopback`;
  const address = hostname.replace(/^\[|\]$/g, '');
  const isRefused = !allowPrivate && isIP(address) !== 0 && !isPublicAddress(address);
  return isRefused ? 'must not be a private address without allowPrivate' : undefined;
}

const NO_ADDRESS = { protocol: '', hostname: '', username: '', password: '' };

function invalidSetting(faults: readonly string[]): ConfigError {
  const lines = faults.map(
    (fault) => `NOTIFICATION_CALLBACKS${fault.startsWith('[') ? '' : ' '}${fault.trim()}`,
  );
  return new ConfigError(`the callbacks are invalid:\n  ${lines.join('\n  ')}`);
}
