import { describe, expect, it } from 'vitest';
import { createStartWait } from '../../../shared/messaging/start-wait.ts';
import { ConfigError, InfrastructureError, MessagingError } from '../../../shared/platform/errors.ts';
import { systemTimers } from '../../../shared/platform/system-ports.ts';

const unavailable = (text: string) => new MessagingError('broker-unavailable', text, { canRetry: true });
const refused = () => unavailable('connect ECONNREFUSED');

function waiting({ limitMs = 60_000, attemptMs = 0 } = {}) {
  let nowMs = 0;
  const delays: number[] = [];
  const lines: string[] = [];
  const wait = createStartWait({
    limitMs,
    onWait: (line) => lines.push(line),
    monotonic: { elapsedMs: () => nowMs },
    timers: {
      ...systemTimers,
      schedule: (callback, ms) => {
        delays.push(ms);
        nowMs += ms;
        return systemTimers.schedule(callback, 0);
      },
    },
    random: () => 1,
  });
  const attemptFailing = (failures: readonly Error[]) => {
    const left = [...failures];
    return () => {
      nowMs += attemptMs;
      const error = left.shift();
      return error === undefined ? Promise.resolve('started') : Promise.reject(error);
    };
  };
  return { wait, attemptFailing, delays, lines, elapsedMs: () => nowMs };
}

describe('the wait at startup while a service is unavailable', () => {
  it('retries with growing delays and reports the service and the error', async () => {
    const start = waiting();
    const attempt = start.attemptFailing(Array.from({ length: 7 }, refused));
    expect(await start.wait('Kafka', attempt)).toBe('started');
    expect(start.delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(start.lines[0]).toBe('waiting for Kafka, at most 60 s more: connect ECONNREFUSED');
    expect(start.lines).toHaveLength(7);
  });

  it('makes a last attempt at the time limit, then rejects with the last error', async () => {
    const start = waiting({ limitMs: 5_000 });
    const attempt = start.attemptFailing(Array.from({ length: 99 }, refused));
    const message = 'Kafka was not available within 5 s: connect ECONNREFUSED';
    await expect(start.wait('Kafka', attempt)).rejects.toMatchObject({ code: 'broker-unavailable', message });
    expect(start.elapsedMs()).toBe(5_000);
  });

  it('shares one time limit among all services', async () => {
    const start = waiting({ limitMs: 5_000, attemptMs: 2_000 });
    await start.wait('Kafka', start.attemptFailing([refused()]));
    const text = 'no answer within 2000 ms';
    const registryUnavailable = new InfrastructureError('schema-registry-unavailable', text);
    const attempt = start.attemptFailing([registryUnavailable, registryUnavailable]);
    const message = `the schema registry was not available within 5 s: ${text}`;
    await expect(start.wait('the schema registry', attempt)).rejects.toThrow(message);
  });
});

it.each([
  ['refused credentials', new MessagingError('broker-refused', 'SASL', { canRetry: false })],
  ['a missing topic', new ConfigError('the broker lacks topics: plat.a')],
  ['credentials that the registry rejects', new InfrastructureError('schema-registry-refused', '401')],
  ['a certificate that is not trusted', unavailable('Connection error: self-signed certificate')],
  ['a bug', new TypeError('undefined is not a function')],
])('the wait at startup after a permanent failure rejects immediately: %s', async (_, error) => {
  const start = waiting();
  await expect(start.wait('Kafka', start.attemptFailing([error]))).rejects.toBe(error);
  expect([start.delays, start.lines]).toEqual([[], []]);
});

it('the aborted wait at startup rejects immediately, during a pending attempt and between attempts', async () => {
  for (const attempt of [() => new Promise<never>(() => undefined), () => Promise.reject(refused())]) {
    const ending = new AbortController();
    const wait = createStartWait({
      limitMs: 60_000,
      onWait: () => undefined,
      signal: ending.signal,
      timers: { ...systemTimers, schedule: () => () => undefined },
    });
    const started = wait('Kafka', attempt);
    ending.abort(new Error('SIGTERM'));
    await expect(started).rejects.toThrow('SIGTERM');
    await expect(wait('Kafka', () => Promise.resolve())).rejects.toThrow('SIGTERM');
  }
});
