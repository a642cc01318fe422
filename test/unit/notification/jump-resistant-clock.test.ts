import { describe, expect, it } from 'vitest';
import { awaitTurn } from '../../../workers/notification/ordering/await-turn.ts';
import { createAgeClock } from '../../../workers/notification/jump-resistant-clock.ts';
import type { CommandCopy } from '../../../workers/notification/state/command-copy.ts';
import type { DeliveryParts } from '../../../workers/notification/delivery/delivery-parts.ts';
import { roundsHealth } from '../../../workers/notification/notification-health.ts';
import { isAwaited } from '../../../workers/notification/ordering/queue-behind-head.ts';
import { RunningRounds } from '../../../workers/notification/delivery/deliveries-in-progress.ts';
import { scriptedProviders } from '../../support/fakes/scripted-providers.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const JUMPS = [
  ['an hour forward', HOUR_MS],
  ['an hour back', -HOUR_MS],
] as const;

/** The times that it shows after a minute, and after a jump of the wall clock. */
const afterJump = (jumpMs: number): number => {
  const time = { wallMs: NOW, elapsedMs: 7 };
  const age = createAgeClock({ now: () => time.wallMs }, { elapsedMs: () => time.elapsedMs });
  time.wallMs += 60_000 + jumpMs;
  time.elapsedMs += 60_000;
  return age.now() - NOW;
};

describe('the clock that ages are judged by', () => {
  it('does not follow the wall clock ahead, and follows it back', () => {
    expect(afterJump(0)).toBe(60_000);
    expect(afterJump(HOUR_MS)).toBe(60_000);
    expect(afterJump(-HOUR_MS)).toBe(60_000 - HOUR_MS);
  });
});

describe('a delivery that is under way', () => {
  it('is timed by its last step', async () => {
    let elapsedMs = 0;
    const running = new RunningRounds({ elapsedMs: () => elapsedMs });
    const end = Promise.withResolvers<void>();
    const work = running.during('id', () => end.promise);
    elapsedMs = 40_000;
    expect(running.longestMs()).toBe(40_000);
    expect(roundsHealth(running, 40_000).status).toBe('unhealthy');
    running.touch('id');
    expect(roundsHealth(running, 40_000).status).toBe('ready');
    end.resolve();
    await work;
    elapsedMs = 45_000;
    expect([running.isBusy(5_000), running.isBusy(4_999)]).toEqual([true, false]);
  });

  it.each(JUMPS)(
    'waits for the turn of a provider for ten seconds, with the clock set %s',
    async (_, jumpMs) => {
      let elapsedMs = 0;
      let wallMs = NOW;
      const providers = scriptedProviders();
      providers.add('a', { admission: () => ({ kind: 'open', afterMs: 60_000, code: 'down' }) });
      const parts = {
        channel: 'sms',
        providers,
        unknownPolicy: 'park',
        clock: { now: () => wallMs },
        monotonic: { elapsedMs: () => elapsedMs },
        closing: new AbortController().signal,
        sleep: (ms: number) => {
          elapsedMs += ms;
          wallMs += ms + (elapsedMs === 5_000 ? jumpMs : 0);
          return Promise.resolve();
        },
      } as unknown as DeliveryParts;
      const copy = { history: [], redriveUnknown: false } as unknown as CommandCopy;
      expect(await awaitTurn(copy, parts, () => undefined)).toBeUndefined();
      expect(elapsedMs).toBe(10_000);
    },
  );
});

it.each(JUMPS)(
  'a head that is being sent is waited for while its lease runs, with the clock set %s',
  (_, jumpMs) => {
    const time = { wallMs: NOW, elapsedMs: 0 };
    const clock = { now: () => time.wallMs };
    const monotonic = { elapsedMs: () => time.elapsedMs };
    const parts = {
      ledger: {
        find: () => ({ status: 'sending', attempt: 1, leaseUntil: NOW + 1_000, leaseEndsMs: 1_000 }),
      },
      plan: { tiersMs: [10_000], timeLimitMs: 10 * 60_000 },
      clock,
      monotonic,
      ageClock: createAgeClock(clock, monotonic),
    } as unknown as DeliveryParts;
    const head = { id: 'id', attempt: 1, isDeferred: false, sinceMs: NOW };
    time.wallMs += jumpMs;
    expect(isAwaited(head, parts)).toBe(true);
    time.elapsedMs += 16 * 60_000;
    time.wallMs += 16 * 60_000;
    expect(isAwaited(head, parts)).toBe(false);
  },
);
