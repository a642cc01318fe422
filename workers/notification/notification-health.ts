import type { Channel } from '../../shared/notification/command.ts';
import type { Providers } from '../../shared/notification/provider.ts';
import type { Health } from '../../shared/platform/health.ts';
import type { RunningRounds } from './delivery/deliveries-in-progress.ts';

/**
 * Whether a channel can send what there is: not all of its providers are set aside. A channel without a provider is one
 * that is not used, until notifications of it wait for one here.
 */
export function channelHealth(channel: Channel, providers: Providers, isWaitedFor: boolean): Health {
  const all = providers.of(channel);
  if (all.length === 0) {
    if (!isWaitedFor) return { status: 'ready' };
    return { status: 'degraded', reason: `no provider for ${channel}: its notifications wait` };
  }
  const down = all.map((provider) => ({ name: provider.name, ...provider.health() }));
  const faulty = down.filter(({ status }) => status !== 'ready');
  if (faulty.length === 0) return { status: 'ready' };
  const names = faulty
    .map(({ name, reason }) => (reason === undefined ? name : `${name} (${reason})`))
    .join(', ');
  const reason =
    faulty.length === all.length
      ? `all providers for ${channel} are set aside, its notifications wait: ${names}`
      : `set aside for ${channel}: ${names}`;
  return { status: 'degraded', reason };
}

/** A handler in which nothing happens for so long hangs: no step of a delivery takes it. */
export function roundsHealth(running: RunningRounds, limitMs: number): Health {
  const longestMs = running.longestMs();
  if (longestMs < limitMs) return { status: 'ready' };
  return { status: 'unhealthy', reason: `a delivery stands still for ${Math.round(longestMs / 1_000)} s` };
}
