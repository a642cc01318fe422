import { expect, it } from 'vitest';
import {
  createPatientRequests,
  type PatientRequests,
} from '../../../../scripts/recalculate/patient-requests.ts';
import type { OutgoingRequest } from '../../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../../shared/messaging/outcome.ts';
import { createProblem, type ErrorCode } from '../../../../shared/platform/problem.ts';
import { RunError } from '../../../../scripts/recalculate/interruption.ts';

const REQUEST: OutgoingRequest = {
  topic: 't',
  type: 'T',
  payload: { items: [] },
  timeoutMs: 120_000,
  correlationId: 'c',
};
const answer: Reply = { kind: 'reply', type: 'ReplyBatch', payload: { items: [] } };
const problem = (code: ErrorCode): Reply => ({ kind: 'problem', problem: createProblem(code) });

function scene(
  answers: (request: OutgoingRequest, attempt: number) => { reply: Reply; tookMs?: number },
  patienceMs = 600_000,
) {
  const clock = { nowMs: 1_000 };
  const asked: OutgoingRequest[] = [];
  const abort = new AbortController();
  const patient: PatientRequests = createPatientRequests({
    request: async (request) => {
      asked.push(request);
      const { reply, tookMs = 0 } = answers(request, asked.length);
      clock.nowMs += Math.min(tookMs, request.timeoutMs);
      return reply;
    },
    patienceMs,
    signal: abort.signal,
    now: () => clock.nowMs,
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      clock.nowMs += ms;
    },
    random: () => 1,
  });
  return { clock, asked, abort, patient };
}

const TRANSIENT = [
  'broker-unavailable',
  'not-ready',
  'overloaded',
  'reply-timeout',
  'deadline-exceeded',
] as const;
it.each(TRANSIENT)('retries after %s with the same correlation id', async (code) => {
  const { asked, patient } = scene((_, attempt) => ({ reply: attempt < 4 ? problem(code) : answer }));
  expect(await patient.request(REQUEST)).toBe(answer);
  expect(asked.map(({ correlationId }) => correlationId)).toEqual(['c', 'c', 'c', 'c']);
});

const FINAL = ['reply-too-large', 'unexpected', 'invalid-request'] as const;
it.each(FINAL)('returns %s as an answer', async (code) => {
  const { asked, patient } = scene(() => ({ reply: problem(code) }));
  expect(await patient.request(REQUEST)).toEqual(problem(code));
  expect(asked).toHaveLength(1);
});

it('gives up after the time limit without a reply, and reports the last problem', async () => {
  const { clock, patient } = scene(() => ({ reply: problem('broker-unavailable') }));
  const failure = new RunError('no reply for 600 s; the last attempt ended with broker-unavailable');
  await expect(patient.request(REQUEST)).rejects.toThrow(failure);
  expect(clock.nowMs - 1_000).toBeGreaterThanOrEqual(600_000);
  expect(clock.nowMs - 1_000).toBeLessThan(610_000);
});

it('waits longer after each failed attempt, but not beyond the time limit', async () => {
  const { asked, clock, patient } = scene(() => ({ reply: problem('reply-timeout'), tookMs: Infinity }));
  await expect(patient.request(REQUEST)).rejects.toThrow(RunError);
  const timeouts = asked.map(({ timeoutMs }) => timeoutMs);
  expect(timeouts.slice(0, 2)).toEqual([120_000, 240_000]);
  expect(timeouts[2]).toBeLessThan(480_000);
  expect(clock.nowMs).toBeLessThan(1_000 + 605_000);
});

it('measures the time limit from the last reply to any request', async () => {
  let inVain = 0;
  const { clock, patient } = scene((request) => {
    if (request.correlationId === 'other') return { reply: answer };
    inVain += 1;
    if (inVain > 5) return { reply: answer };
    // A reply to another batch shows that a worker is alive.
    void patient.request({ ...REQUEST, correlationId: 'other' });
    return { reply: problem('reply-timeout'), tookMs: 100_000 };
  }, 300_000);
  expect(await patient.request(REQUEST)).toBe(answer);
  expect(clock.nowMs).toBeGreaterThan(1_000 + 500_000);
});

it('does not count idle time', async () => {
  const { clock, patient } = scene((_, at) => ({ reply: at === 2 ? problem('not-ready') : answer }));
  await patient.request(REQUEST);
  clock.nowMs += 10_000_000;
  expect(patient.silentMs()).toBe(0);
  expect(await patient.request(REQUEST)).toBe(answer);
});

it('stops retrying when the run has ended', async () => {
  const { abort, patient } = scene(() => {
    abort.abort(new Error('ended'));
    return { reply: problem('overloaded') };
  });
  await expect(patient.request(REQUEST)).rejects.toThrow('ended');
});

it('gives up when workers reply without ever calculating, with and without idle time', async () => {
  const { clock, patient } = scene(() => ({ reply: problem('unexpected'), tookMs: 1_000 }), 30_000);
  const silences: number[] = [];
  const askOn = async (): Promise<never> => {
    for (;;) {
      await patient.request(REQUEST);
      silences.push(patient.silentMs());
      clock.nowMs += 5_000;
    }
  };
  const failure = new RunError('no reply for 30 s; the last attempt ended with unexpected');
  await expect(askOn()).rejects.toThrow(failure);
  // The value is never 0 in between, which would be reported as the resumption of replies.
  expect(silences).toEqual(Array.from({ length: 29 }, (_, index) => (index + 1) * 1_000));
});

it('counts an overlarge reply as a sign of life, but not a reply to another request', async () => {
  const replies = [problem('reply-too-large'), problem('unexpected')];
  const { clock, patient } = scene((_, at) => ({ reply: replies[at % 2]!, tookMs: 10_000 }), 30_000);
  for (let turn = 0; turn < 6; turn += 1) await patient.request(REQUEST);
  expect(patient.silentMs()).toBe(0);
  expect(clock.nowMs).toBe(61_000);
});
