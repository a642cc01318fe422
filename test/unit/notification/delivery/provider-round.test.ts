import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../../../shared/notification/notification-state.ts';
import type { ProviderAdmission, SendResult } from '../../../../shared/notification/provider.ts';
import {
  callProviders,
  eligibleProviders,
  leaseMs,
} from '../../../../workers/notification/delivery/provider-round.ts';
import {
  permanent,
  SENT,
  scriptedProviders,
  transient,
  unknown,
} from '../../../support/fakes/scripted-providers.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';

const NOW = 1_700_000_000_000;
const GO: ProviderAdmission = { kind: 'go' };

interface Scripted {
  readonly result: SendResult;
  readonly admission?: ProviderAdmission;
  readonly isIdempotent?: boolean;
  readonly takesMs?: number;
}

/** A round over providers named a, b, c …, in which time passes only during calls and waits. */
async function round(script: readonly Scripted[], lengthMs = 100_000, first = 0) {
  const { time, pass, timers, ...clocks } = virtualTime({ wallMs: NOW });
  const waits: number[] = [];
  const admitted: string[] = [];
  const set = scriptedProviders();
  for (const [index, { result, admission = GO, isIdempotent = false, takesMs = 0 }] of script.entries()) {
    const name = 'abcdef'[index] ?? '?';
    set.add(name, {
      isIdempotent,
      admission: () => {
        admitted.push(name);
        return waits.length > 0 ? GO : admission;
      },
      answer: () => {
        pass(takesMs);
        return result;
      },
    });
  }
  const end = await callProviders(
    {
      message: anSms(),
      attempt: 3,
      priority: 'normal',
      turn: { providers: set.list, first },
      leaseEndsMs: time.elapsedMs + lengthMs,
      signal: new AbortController().signal,
    },
    {
      ...clocks,
      timers: {
        ...timers,
        schedule: (callback, ms) => {
          if (ms !== lengthMs) waits.push(ms);
          return timers.schedule(callback, ms);
        },
      },
      sendTimeoutMs: 1_000,
      onAttempt: () => undefined,
    },
  );
  return { end, waits, admitted, asked: set.calls.map(({ provider }) => provider) };
}

const MISCONFIGURED = { kind: 'misconfigured', code: 'x' } as const;

it.each([
  ['sent', [SENT, SENT], ['a'], 'sent'],
  ['rejected', [permanent('x'), SENT], ['a'], 'permanent'],
  ['unknown', [unknown(), SENT], ['a'], 'unknown'],
  ['busy, then sent', [transient(), SENT], ['a', 'b'], 'sent'],
  ['misconfigured, then sent', [MISCONFIGURED, SENT], ['a', 'b'], 'sent'],
  ['busy, then unknown', [transient(), unknown(), SENT], ['a', 'b'], 'unknown'],
  ['busy everywhere', [transient(), transient('late')], ['a', 'b'], 'transient'],
])(
  'calls the next provider only after a transient failure or a misconfiguration: %s',
  async (_, results, asked, kind) => {
    const done = await round(results.map((result) => ({ result })));
    expect(done.asked).toEqual(asked);
    expect(done.end?.end.kind).toBe(kind);
    expect(done.end?.attempts.map(({ attempt, provider }) => `${attempt}${provider}`)).toEqual(
      asked.map((name) => `3${name}`),
    );
  },
);

it.each([1, 2_000])('waits for a rate limit that ends in %i ms, within two seconds', async (afterMs) => {
  const limited: ProviderAdmission = { kind: 'wait', afterMs };
  const done = await round([{ result: transient('busy') }, { result: SENT, admission: limited }]);
  expect([done.asked, done.waits]).toEqual([['a', 'b'], [afterMs]]);
});

it('does not wait long for a rate limit but reports it as a transient failure', async () => {
  const limited: ProviderAdmission = { kind: 'wait', afterMs: 30_000 };
  const done = await round([{ result: transient('busy', 60_000) }, { result: SENT, admission: limited }]);
  expect(done.asked).toEqual(['a']);
  expect(done.end?.end).toEqual({ kind: 'transient', code: 'rate-limited', retryAfterMs: 30_000 });
});

it('starts with the given provider without admitting it again', async () => {
  const done = await round([{ result: SENT }, { result: transient() }, { result: SENT }], undefined, 1);
  expect([done.asked, done.admitted]).toEqual([['b', 'c'], ['c']]);
});

it('does not make a call that could exceed the lease', async () => {
  expect((await round([{ result: SENT }], 1_499)).end).toBeUndefined();
  expect((await round([{ result: SENT }], 1_500)).asked).toEqual(['a']);
  const slow = await round([{ result: transient(), takesMs: 600 }, { result: SENT }], 2_000);
  expect(slow.asked).toEqual(['a']);
  expect(slow.end?.end.kind).toBe('transient');
});

it('reports an unknown outcome as repeatable only if the provider recognises ids', async () => {
  for (const isIdempotent of [true, false]) {
    const { end } = await round([{ result: unknown(), isIdempotent }]);
    expect(end?.end).toMatchObject({ isRepeatable: isIdempotent });
  }
});

it('computes a lease for all calls of the round, for ten providers if their number is unknown', () => {
  expect([leaseMs(2, 1_000), leaseMs(undefined, 1_000)]).toEqual([8_000, 20_000]);
});

const attemptOf = (number: number, result: AttemptRecord['result'] = 'transient'): AttemptRecord => ({
  attempt: number,
  at: NOW,
  provider: 'first',
  result,
  code: 'busy',
  ...(result === 'unknown' ? { repeatableBy: 'first' } : {}),
});

describe('the eligible providers', () => {
  const providers = scriptedProviders();
  const first = providers.add('first', { isIdempotent: true });
  const second = providers.add('second', { isIdempotent: true });
  const all = [first, second];

  it('are all if there is no unknown outcome, or if a second send is accepted', () => {
    expect(eligibleProviders(all, [attemptOf(1)], false)).toEqual(all);
    expect(eligibleProviders(all, [attemptOf(1, 'unknown')], true)).toEqual(all);
  });

  it('include only the provider with the unknown outcome if it recognises ids', () => {
    expect(eligibleProviders(all, [attemptOf(1, 'unknown'), attemptOf(2)], false)).toEqual([first]);
    expect(eligibleProviders([second], [attemptOf(1, 'unknown')], false)).toEqual([]);
    const forgetful = { ...first, isIdempotent: false };
    expect(eligibleProviders([forgetful, second], [attemptOf(1, 'unknown')], false)).toEqual([]);
    const unrepeatable = { ...attemptOf(1, 'unknown'), repeatableBy: undefined };
    expect(eligibleProviders([forgetful], [unrepeatable], false)).toEqual([]);
  });

  it('are empty if that provider has other settings, did not recognise ids, or was not the only one', () => {
    const one = attemptOf(1, 'unknown');
    expect(eligibleProviders([{ ...first, identity: 'other' }], [one], false)).toEqual([]);
    expect(eligibleProviders(all, [{ ...one, repeatableBy: undefined }], false)).toEqual([]);
    expect(eligibleProviders(all, [{ ...one, repeatableBy: 'second' }, one], false)).toEqual([]);
    const same = { ...first, identity: 'hash' };
    expect(eligibleProviders([same, second], [{ ...one, repeatableBy: 'hash' }], false)).toEqual([same]);
  });
});
