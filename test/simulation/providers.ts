import type { Channel, Outbound } from '../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../shared/notification/provider.ts';
import { sleep } from '../../shared/platform/timers.ts';
import type { ProviderSet } from '../../workers/notification/providers/configured-providers.ts';
import { guard } from '../../workers/notification/providers/guarded-provider.ts';
import type { CallFates, Share } from './faults/call-fates.ts';
import type { Host } from './sim-process.ts';

const CHANNELS: readonly Channel[] = ['sms', 'email'];
/** The second one delivers an id once, so its unknown outcomes may be retried. */
const PROVIDERS = [
  { name: 'first', isIdempotent: false },
  { name: 'second', isIdempotent: true },
] as const;
const RATE_PER_SECOND = 50;
const MIN_ANSWER_MS = 20;
const MAX_ANSWER_MS = 300;
/** Longer than every timeout: the provider never answers. */
const NEVER_MS = 3_600_000;

/** A call of a provider, as the provider itself sees it. */
export interface ProviderCall {
  readonly provider: string;
  readonly channel: Channel;
  readonly isIdempotent: boolean;
  /** The id of the notification. */
  readonly id: string;
  readonly message: Outbound;
  /** Id of the life of the calling process. */
  readonly by: string;
  /** Whether the message was sent to its receiver, whatever the caller learns. */
  readonly isSent: boolean;
}

export interface ProviderObserver {
  /** Called when the provider decides, before its answer travels. */
  onProviderCall?(call: ProviderCall): void;
}

/** The providers of both channels, outside of all processes. */
export class SimProviders {
  readonly #fates: CallFates;
  readonly #observer: ProviderObserver;
  /** Calls so far by provider and id. */
  readonly #calls = new Map<string, number>();

  constructor(fates: CallFates, observer: ProviderObserver) {
    this.#fates = fates;
    this.#observer = observer;
  }

  /** The providers as a process has them, behind the guard of production. */
  open(host: Host): ProviderSet {
    const all = CHANNELS.flatMap((channel) =>
      PROVIDERS.map((kind) => {
        const provider: Provider = {
          ...kind,
          channel,
          send: (message, signal) => this.#send({ ...kind, channel, message, by: host.id }, host, signal),
          close: () => Promise.resolve(),
        };
        return guard(provider, { ratePerSecond: RATE_PER_SECOND }, host.ports.monotonic);
      }),
    );
    return {
      of: (channel) => all.filter((provider) => provider.channel === channel),
      health: () => ({ status: 'ready' }),
      close: () => Promise.resolve(),
    };
  }

  async #send(
    call: Pick<ProviderCall, 'channel' | 'isIdempotent' | 'message' | 'by'> & { readonly name: string },
    host: Host,
    signal: AbortSignal,
  ): Promise<SendResult> {
    if (!host.mayAct()) return new Promise(() => undefined);
    const { name, channel, isIdempotent, message, by } = call;
    const { id } = message;
    const place = `${channel}/${name}/${id}`;
    const number = this.#calls.get(place) ?? 0;
    this.#calls.set(place, number + 1);
    const share = this.#fates.shares(place, number);
    const isSilent = this.#fates.befalls('silent-provider', share(1));
    const result =
      !isSilent && this.#fates.befalls('refusing-provider', share(2)) ? refusal(share) : undefined;
    const isSent = result === undefined;
    const { timers } = host.ports;
    await sleep(timers, share(3) * MIN_ANSWER_MS, signal);
    if (signal.aborted) return { kind: 'unknown', code: 'timeout' };
    this.#observer.onProviderCall?.({ provider: name, channel, isIdempotent, id, message, by, isSent });
    const answerMs = isSilent ? NEVER_MS : MIN_ANSWER_MS + share(4) * (MAX_ANSWER_MS - MIN_ANSWER_MS);
    await sleep(timers, answerMs, signal);
    if (signal.aborted) return { kind: 'unknown', code: 'timeout' };
    return result ?? { kind: 'sent', providerMessageId: id };
  }
}

function refusal(share: Share): SendResult {
  const kinds: readonly SendResult[] = [
    { kind: 'transient', code: 'busy' },
    { kind: 'transient', code: 'later', retryAfterMs: 1 + Math.floor(share(6) * 20_000) },
    { kind: 'transient', code: 'mailbox-full', isAboutReceiver: true },
    { kind: 'permanent', code: 'rejected' },
    { kind: 'misconfigured', code: 'credentials' },
  ];
  return kinds[Math.floor(share(5) * kinds.length)] ?? { kind: 'transient', code: 'busy' };
}
