import type { Channel } from '../../../shared/notification/command.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { GuardHooks } from './guarded-provider.ts';

/**
 * Observes the duration of calls and the state of each circuit breaker in metrics. Changes of a breaker are logged with the
 * name of the provider and the code that caused them.
 */
export function providerHooks(
  metrics: Metrics,
  log: Log,
): (provider: { readonly name: string; readonly channel: Channel }) => GuardHooks {
  const labelNames = ['channel', 'provider'];
  const seconds = metrics.duration(
    'plat_notification_provider_seconds',
    'Duration of a call of a provider',
    labelNames,
  );
  const breakerOpen = metrics.gauge(
    'plat_notification_provider_open',
    '1 while the circuit breaker of a provider is open',
    labelNames,
  );
  return ({ name, channel }) => {
    const labels = { channel, provider: name };
    breakerOpen.set(labels, 0);
    return {
      settled: (elapsedMs) => seconds.observe(labels, elapsedMs / 1_000),
      changed: (state, code) => {
        breakerOpen.set(labels, state === 'open' ? 1 : 0);
        if (state === 'open') log.warn({ ...labels, code }, 'the circuit breaker of a provider is open');
        else log.info(labels, 'the circuit breaker of a provider is closed');
      },
    };
  };
}
