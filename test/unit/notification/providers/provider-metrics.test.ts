import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createMetrics } from '../../../../shared/platform/metrics.ts';
import { providerHooks } from '../../../../workers/notification/providers/provider-metrics.ts';

describe('the metrics of a provider', () => {
  it('show the duration of its calls and the state of its breaker', async () => {
    const metrics = createMetrics();
    const hooks = providerHooks(metrics, silentLog)({ name: 'mail', channel: 'email' });
    hooks.settled?.({ kind: 'sent', providerMessageId: 'x' }, 250);
    expect(await metrics.text()).toContain(
      'plat_notification_provider_open{channel="email",provider="mail"} 0',
    );
    hooks.changed?.('open', 'smtp-535');
    expect(await metrics.text()).toContain(
      'plat_notification_provider_open{channel="email",provider="mail"} 1',
    );
    hooks.changed?.('closed', undefined);
    const text = await metrics.text();
    expect(text).toContain('plat_notification_provider_open{channel="email",provider="mail"} 0');
    expect(text).toContain('plat_notification_provider_seconds_sum{channel="email",provider="mail"} 0.25');
  });
});
