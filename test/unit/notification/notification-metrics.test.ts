import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { providerHooks } from '../../../workers/notification/notification-metrics.ts';

it('exports the duration of calls and the breaker state, and logs when the breaker opens or closes', async () => {
  const metrics = createMetrics();
  const lines: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object) => lines.push(['warn', fields]),
    info: (fields: object) => lines.push(['info', fields]),
  };
  const hooks = providerHooks(metrics, log)({ name: 'mail', channel: 'email' });
  const labels = 'channel="email",provider="mail"';
  const states = [await metrics.text()];
  for (const state of ['open', 'closed'] as const) {
    hooks.changed(state, state === 'closed' ? undefined : 'smtp-535');
    states.push(await metrics.text());
  }
  for (const [at, value] of [0, 1, 0].entries()) {
    expect(states[at]).toContain(`plat_notification_provider_open{${labels}} ${value}\n`);
  }
  expect(lines).toEqual([
    ['warn', { channel: 'email', provider: 'mail', code: 'smtp-535' }],
    ['info', { channel: 'email', provider: 'mail' }],
  ]);
  hooks.settled(250);
  expect(await metrics.text()).toContain(`plat_notification_provider_seconds_sum{${labels}} 0.25`);
});
