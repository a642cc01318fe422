import type { CallbackSettings } from '../../../shared/notification/callback-settings.ts';
import { createPublicLookup } from '../../../shared/notification/public-address.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { createHttpCaller } from '../providers/http-call.ts';
import { callbackHeaders } from './outcome-callback.ts';

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 8;
/** Callbacks of a receiver that a process has in hand. Further ones wait on a retry tier and delay no others. */
export const MAX_IN_HAND = 256;
/** The answer to a callback says nothing beside its status. */
const MAX_RESPONSE_BYTES = 4_096;

export type CallbackResult =
  | { readonly kind: 'accepted' }
  /** The receiver was not called, since it has too many calls, or since this process stops. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly code: string };

export type CallbackReceiver = ReturnType<typeof createCallbackReceiver>;

/** Posts the callbacks of one sender. While calls fail, only one at a time is made; the others count as failed. */
export function createCallbackReceiver(
  { url, key, allowPrivate }: CallbackSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  const caller = createHttpCaller({
    origin: url.origin,
    timeoutMs: TIMEOUT_MS,
    connections: CONNECTIONS,
    ca: undefined,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    ...(allowPrivate ? {} : { lookup: createPublicLookup() }),
  });
  let inHand = 0;
  let failure: string | undefined;
  const ended = (code: string | undefined): CallbackResult => {
    const { host } = url;
    if (code !== undefined && failure === undefined)
      log.warn({ host, code }, 'a receiver of callbacks fails');
    if (code === undefined && failure !== undefined) log.info({ host }, 'a receiver accepts callbacks again');
    failure = code;
    return code === undefined ? { kind: 'accepted' } : { kind: 'failed', code };
  };
  const call = async (id: string, body: Buffer, signal: AbortSignal): Promise<CallbackResult> => {
    const headers = callbackHeaders(key, id, Math.floor(clock.now() / 1_000), body);
    const request = { method: 'POST', path: url.pathname + url.search, headers, body } as const;
    const outcome = await caller.call(request, signal, 'urgent');
    if (outcome.kind === 'response') {
      const { status } = outcome.response;
      return ended(status >= 200 && status < 300 ? undefined : `http-${status}`);
    }
    if (signal.aborted) return { kind: 'aborted' };
    return 'isUncalled' in outcome ? { kind: 'busy' } : ended(outcome.code);
  };
  return {
    /** Follows no redirect. Never rejects. */
    post: async (id: string, body: Buffer, signal: AbortSignal): Promise<CallbackResult> => {
      if (failure !== undefined && inHand > 0) return { kind: 'failed', code: failure };
      if (inHand >= MAX_IN_HAND) return { kind: 'busy' };
      inHand += 1;
      try {
        return await call(id, body, signal);
      } finally {
        inHand -= 1;
      }
    },
    close: () => caller.close(),
  };
}
