import { describe, expect, it, vi } from 'vitest';
import type { Priority } from '../../../../shared/notification/notification-command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { type GuardOptions, guard } from '../../../../workers/notification/providers/guarded-provider.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';

const SENT: SendResult = { kind: 'sent', providerMessageId: 'p1' };
const DOWN: SendResult = { kind: 'transient', code: 'connect-refused' };
const SIGNAL = new AbortController().signal;

function guarded(options: GuardOptions = {}) {
  const time = { now: 1_000_000 };
  const next: { answer: () => Promise<SendResult> } = { answer: () => Promise.resolve(SENT) };
  const send = () => next.answer();
  const provider: Provider = { name: 'p', channel: 'sms', isIdempotent: false, send, close: async () => {} };
  const changes: string[] = [];
  const hooks = {
    changed: (state: string, code: string | undefined) => changes.push(`${state} ${code ?? ''}`.trim()),
    settled: () => undefined,
  };
  const subject = guard(provider, { hooks, ...options }, { elapsedMs: () => time.now });
  const call = async (result: SendResult): Promise<SendResult> => {
    expect(subject.admit()).toEqual({ kind: 'go' });
    next.answer = () => Promise.resolve(result);
    return subject.send(anSms(), SIGNAL);
  };
  const fail = async (times: number, result: SendResult = DOWN): Promise<void> => {
    for (let count = 0; count < times; count += 1) await call(result);
  };
  return { subject, time, next, call, fail, changes };
}

const BREAKER = { failures: 3, openMs: 1_000 };

describe('the circuit breaker of a provider', () => {
  it('opens after consecutive failures and reports the code of the last one', async () => {
    const { subject, fail, changes } = guarded({ breaker: BREAKER });
    await fail(2);
    expect(subject.health()).toEqual({ status: 'ready' });
    await fail(1, { kind: 'unknown', code: 'timeout-after-data' });
    expect(subject.admit()).toEqual({ kind: 'open', afterMs: 1_000, code: 'timeout-after-data' });
    expect(subject.health()).toEqual({ status: 'degraded', reason: 'circuit-open:timeout-after-data' });
    expect(changes).toEqual(['open timeout-after-data']);
  });

  it('resets the failure count on any result that concerns the message itself', async () => {
    const { subject, fail, call } = guarded({ breaker: BREAKER });
    for (const result of [
      { kind: 'permanent', code: 'smtp-550' },
      { kind: 'transient', code: 'smtp-452-4.2.2', isAboutReceiver: true },
      { kind: 'unknown', code: 'http-409', isAboutMessage: true },
      SENT,
    ] satisfies SendResult[]) {
      await fail(2);
      await call(result);
    }
    await fail(2);
    expect(subject.admit()).toEqual({ kind: 'go' });
  });

  it.each<[SendResult, number]>([
    [{ kind: 'misconfigured', code: 'smtp-535-5.7.8' }, 1_000],
    [{ kind: 'transient', code: 'http-429', retryAfterMs: 42_000 }, 42_000],
    [{ kind: 'transient', code: 'http-429', retryAfterMs: 86_400_000 }, 3_600_000],
  ])('opens immediately after %o, for its Retry-After or at most one hour', async (result, afterMs) => {
    const { subject, call } = guarded({ breaker: BREAKER });
    await call(result);
    expect(subject.admit()).toEqual({ kind: 'open', afterMs, code: result.code });
  });

  it('admits one probe after the open time, and another one if that has not ended', async () => {
    const { subject, time, fail, call, changes } = guarded({ breaker: BREAKER });
    await fail(3);
    time.now += 999;
    expect(subject.admit()).toMatchObject({ kind: 'open', afterMs: 1 });
    time.now += 1;
    expect(subject.admit()).toEqual({ kind: 'go' });
    expect(subject.admit()).toMatchObject({ kind: 'open', afterMs: 1_000 });
    time.now += 1_000;
    await call(SENT);
    expect(subject.admit()).toEqual({ kind: 'go' });
    expect(subject.health()).toEqual({ status: 'ready' });
    expect(changes).toEqual(['open connect-refused', 'closed']);
  });

  it('doubles the open time with every failed probe up to five minutes, and resets it after a success', async () => {
    const { subject, time, fail, call } = guarded({ breaker: { ...BREAKER, openMs: 60_000 } });
    await fail(3);
    const openTimes: number[] = [];
    for (let probe = 0; probe < 5; probe += 1) {
      const admission = subject.admit();
      openTimes.push(admission.kind === 'open' ? admission.afterMs : -1);
      time.now += openTimes.at(-1) ?? 0;
      await call(DOWN);
    }
    expect(openTimes).toEqual([60_000, 120_000, 240_000, 300_000, 300_000]);
    time.now += 300_000;
    await call(SENT);
    await fail(3);
    expect(subject.admit()).toMatchObject({ kind: 'open', afterMs: 60_000 });
  });

  it('lets calls be made during a probe, and counts those that began after it last opened', async () => {
    const { subject, time, fail, next, changes } = guarded({ breaker: BREAKER });
    const begin = (): ((result: SendResult) => Promise<SendResult>) => {
      const { promise, resolve } = Promise.withResolvers<SendResult>();
      const send = vi.fn<() => Promise<SendResult>>(() => promise);
      next.answer = send;
      const sent = subject.send(anSms(), SIGNAL);
      expect(send).toHaveBeenCalledOnce();
      return (result) => (resolve(result), sent);
    };
    const early = Array.from({ length: 8 }, begin);
    await fail(3);
    const admittedBefore = Array.from({ length: 4 }, begin);
    for (const end of admittedBefore) await end(DOWN);
    const probe = begin();
    for (const end of early.slice(0, 4)) await end(DOWN);
    expect(subject.admit()).toMatchObject({ kind: 'open', afterMs: 2_000 });
    time.now += 2_000;
    await probe(SENT);
    for (const end of early.slice(4)) await end(DOWN);
    await fail(2);
    expect(changes).toEqual(['open connect-refused', 'open connect-refused', 'closed']);
  });

  it('does not double its open time if the provider was not called', async () => {
    const { subject, time, fail, call } = guarded({ breaker: BREAKER });
    await fail(3);
    time.now += 1_000;
    for (let probe = 0; probe < 4; probe += 1) {
      await call({ kind: 'transient', code: 'no-connection', isUncalled: true });
      expect(subject.admit()).toMatchObject({ kind: 'open', afterMs: 1_000 });
      time.now += 1_000;
    }
  });
});

describe('the rate limit of a provider', () => {
  it('admits the calls of one second immediately, except those for urgent messages, then one per interval', () => {
    const { subject, time } = guarded({ ratePerSecond: 4 });
    const go = { kind: 'go' };
    const admissions = Array.from({ length: 4 }, () => subject.admit());
    expect(admissions).toEqual([go, go, go, { kind: 'wait', afterMs: 250 }]);
    time.now += 100;
    expect(subject.admit()).toEqual({ kind: 'wait', afterMs: 150 });
    time.now += 150;
    expect(subject.admit()).toEqual({ kind: 'go' });
    expect(subject.admit()).toEqual({ kind: 'wait', afterMs: 250 });
  });

  it('admits urgent messages from their reserve while normal ones wait, and never exceeds the calls of one second', () => {
    const { subject, time } = guarded({ ratePerSecond: 14 });
    const burst = (priority: Priority): number => {
      let admitted = 0;
      while (subject.admit(priority).kind === 'go') admitted += 1;
      return admitted;
    };
    expect(burst('normal')).toBe(12);
    expect(burst('urgent')).toBe(2);
    time.now += 10_000;
    expect(burst('urgent')).toBe(14);
  });

  it('keeps the rate over a long time, whatever the resolution of the clock', () => {
    for (const stepMs of [1, 7, 33, 799]) {
      const { subject, time } = guarded({ ratePerSecond: 30 });
      let admitted = 0;
      for (let at = 0; at < 100_000; at += stepMs) {
        time.now += stepMs;
        while (subject.admit().kind === 'go') admitted += 1;
      }
      expect(admitted).toBeLessThanOrEqual(30 + Math.ceil((100_000 + stepMs) / 1_000) * 30);
      expect(admitted).toBeGreaterThan(2_900);
    }
  });

  it('consumes no tokens while the breaker is open', async () => {
    const { subject, time, fail } = guarded({ ratePerSecond: 4, breaker: BREAKER });
    await fail(3);
    for (let count = 0; count < 10; count += 1) expect(subject.admit().kind).toBe('open');
    time.now += 1_000;
    expect(subject.admit()).toEqual({ kind: 'go' });
  });

  it('does not use up a probe for a call that must wait for the rate limit', async () => {
    const { subject, time, fail } = guarded({ ratePerSecond: 0.1, breaker: { ...BREAKER, failures: 1 } });
    await fail(1);
    time.now += 1_000;
    expect(subject.admit()).toEqual({ kind: 'wait', afterMs: 9_000 });
    time.now += 9_000;
    expect(subject.admit()).toEqual({ kind: 'go' });
  });
});

describe('the guard', () => {
  it('sanitises the code of a result', async () => {
    const { call } = guarded();
    const kind = 'permanent' as const;
    const code = `bad receiver ana@example.org\r\n${'x'.repeat(90)}`;
    const kept = `bad-receiver-ana-example.org-${'x'.repeat(35)}`;
    expect(await call({ kind, code })).toEqual({ kind, code: kept });
    expect(await call({ kind: 'transient', code: '¡!' })).toEqual({ kind: 'transient', code: 'unnamed' });
  });

  it('returns an unknown outcome if the provider rejects or throws', async () => {
    const { subject, next } = guarded();
    const fault = { kind: 'unknown', code: 'provider-fault' };
    next.answer = () => Promise.reject(new Error('secret'));
    expect(await subject.send(anSms(), SIGNAL)).toEqual(fault);
    next.answer = () => {
      throw new Error('secret');
    };
    expect(await subject.send(anSms(), SIGNAL)).toEqual(fault);
  });

  it('has an identity only if the options contain one', () => {
    expect(guarded({ identity: 'a1b2' }).subject.identity).toBe('a1b2');
    expect(guarded().subject.identity).toBeUndefined();
  });
});
