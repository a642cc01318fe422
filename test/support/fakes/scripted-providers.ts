import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, Outbound } from '../../../shared/notification/notification-command.ts';
import type {
  ProviderAdmission,
  GuardedProvider,
  SendResult,
} from '../../../shared/notification/provider.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';

export interface Sent {
  readonly id: string;
  readonly provider: string;
  readonly message: Outbound;
  readonly atMs: number;
  readonly result: SendResult;
}

export type Answer = (message: Outbound, signal: AbortSignal) => SendResult | Promise<SendResult>;

export interface ScriptedProvider extends GuardedProvider {
  answer: Answer;
  admission: () => ProviderAdmission;
  condition: 'ready' | 'degraded';
}

export const SENT: SendResult = { kind: 'sent', providerMessageId: 'their-id' };
export const transient = (code = 'busy', retryAfterMs?: number): SendResult => ({
  kind: 'transient',
  code,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
export const permanent = (code = 'refused'): SendResult => ({ kind: 'permanent', code });
export const unknown = (code = 'timeout'): SendResult => ({ kind: 'unknown', code });

export function scriptedProviders() {
  const calls: Sent[] = [];
  const delivered = new Map<string, number>();
  const providers = {
    calls: calls as readonly Sent[],
    delivered: delivered as ReadonlyMap<string, number>,
    list: [] as ScriptedProvider[],
    of: (channel: Channel) => providers.list.filter((provider) => provider.channel === channel),
    health: () => ({ status: 'ready' }) as const,
    close: () => Promise.resolve(),
    add: (name: string, more: Partial<ScriptedProvider> = {}) => {
      const provider: ScriptedProvider = {
        name,
        channel: 'sms',
        isIdempotent: false,
        answer: () => SENT,
        admission: () => ({ kind: 'go' }),
        condition: 'ready',
        admit: () => provider.admission(),
        health: () => ({ status: provider.condition }),
        close: () => Promise.resolve(),
        send: async (message, signal) => {
          const result = await provider.answer(message, signal);
          const { id } = message;
          calls.push({ id, provider: name, message, atMs: Date.now(), result });
          if (result.kind === 'sent') delivered.set(id, (delivered.get(id) ?? 0) + 1);
          return result;
        },
        ...more,
      };
      providers.list.push(provider);
      return provider;
    },
  };
  return providers satisfies ProviderSet;
}

export const after =
  (ms: number, result: SendResult): Answer =>
  () =>
    sleep(ms, result);
