import type { Channel } from '../../../shared/notification/command.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { GuardHooks } from './guarded-provider.ts';

/**
 * How long providers take, and which of them are set aside; a change of that is logged by the provider's name and the code
 * that did it.
 */
export function providerHooks(
  metrics: Metrics,
  log: Log,
): (provider: { readonly name: string; readonly channel: Channel }) => GuardHooks {
  const labels = ['channel', 'provider'];
  const seconds = metrics.duration(
    'plat_notification_provider_seconds',
    'From handing a message to a provider to its answer',
    labels,
  );
  const setAside = metrics.gauge(
    'plat_notification_provider_open',
    '1 while the circuit breaker keeps messages from a provider, 0.5 while it tries one',
    labels,
  );
  return ({ name, channel }) => {
    const of = { channel, provider: name };
    setAside.set(of, 0);
    return {
      settled: (_, elapsedMs) => seconds.observe(of, elapsedMs / 1_000),
      changed: (state, code) => {
        setAside.set(of, { closed: 0, 'half-open': 0.5, open: 1 }[state]);
        if (state === 'open') log.warn({ ...of, code }, 'a provider is set aside');
        if (state === 'closed') log.info(of, 'a provider works again');
      },
    };
  };
}
