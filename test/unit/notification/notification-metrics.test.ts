import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import {
  createNotificationMetrics,
  providerHooks,
} from '../../../workers/notification/notification-metrics.ts';

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

it('exports attempts, outcomes, what waits and what is on the log, labelled by names and codes only', async () => {
  const metrics = createMetrics();
  const own = createNotificationMetrics(metrics);
  own.onAttempt({ channel: 'sms', name: 'gate' } as GuardedProvider, { kind: 'permanent', code: 'smtp-550' });
  own.onOutcome('sms', 'failed', 'smtp-550');
  own.onOutcome('email', 'sent', undefined);
  own.onHeld('sms');
  own.onUnordered('email');
  own.onUnknownMembers('sms', 2);
  own.follow({
    deliveryLog: { figures: () => ({ size: 5, intents: 4, overdue: 3, retrying: 2, badRecords: 1 }) },
    hold: { figures: () => ({ keys: 6, followers: 7, bytes: 8, badRecords: 9 }) },
    tiers: [
      {
        delayMs: 10_000,
        priority: 'urgent',
        consumer: { lag: () => [2, 3].map((lag) => ({ topic: 't', partition: 0, lag })) },
      },
    ],
  });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('plat_notification_'));
  expect(lines.map((line) => line.slice('plat_notification_'.length)).toSorted()).toEqual([
    'attempts_total{channel="sms",provider="gate",result="permanent"} 1',
    'held_total{channel="sms"} 1',
    'hold{figure="badRecords"} 9',
    'hold{figure="bytes"} 8',
    'hold{figure="followers"} 7',
    'hold{figure="keys"} 6',
    'ledger{figure="badRecords"} 1',
    'ledger{figure="retrying"} 2',
    'ledger{figure="sending"} 4',
    'ledger{figure="size"} 5',
    'ledger{figure="unknown"} 3',
    'outcomes_total{channel="email",status="sent",code=""} 1',
    'outcomes_total{channel="sms",status="failed",code="smtp-550"} 1',
    'unknown_members_total{channel="sms"} 2',
    'unordered_total{channel="email"} 1',
    'waiting{tier="10s-urgent"} 5',
  ]);
});
