import { describe, expect, it } from 'vitest';
import { createStartWait } from '../../../shared/messaging/start-wait.ts';
import { ConfigError, InfrastructureError, MessagingError } from '../../../shared/platform/errors.ts';

const away = () => new MessagingError('broker-unavailable', 'connect ECONNREFUSED', { canRetry: true });

/** A start that waits on a clock of its own; each attempt takes `attemptMs`. */
function waiting({ limitMs = 60_000, attemptMs = 0, signal = undefined as AbortSignal | undefined } = {}) {
  let nowMs = 0;
  const delays: number[] = [];
  const lines: string[] = [];
  const wait = createStartWait({
    limitMs,
    signal,
    onWait: (line) => lines.push(line),
    now: () => nowMs,
    wait: (ms) => {
      delays.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
    random: () => 1,
  });
  /** Fails with the given errors, then succeeds. */
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

describe('a start whose infrastructure is away', () => {
  it('tries again after growing delays and says what it waits for and why', async () => {
    const start = waiting();
    const attempt = start.attemptFailing(Array.from({ length: 7 }, away));
    expect(await start.wait('Kafka', attempt)).toBe('started');
    expect(start.delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(start.lines[0]).toBe('waiting for Kafka, at most 60 s more: connect ECONNREFUSED');
    expect(start.lines).toHaveLength(7);
  });

  it('makes a last attempt when the time is up, then names the setting and the last reason', async () => {
    const start = waiting({ limitMs: 5_000 });
    const attempt = start.attemptFailing(Array.from({ length: 99 }, away));
    await expect(start.wait('Kafka', attempt)).rejects.toMatchObject({
      code: 'broker-unavailable',
      message: 'Kafka was not available within 5 s (START_TIMEOUT_MS): connect ECONNREFUSED',
    });
    expect(start.elapsedMs()).toBe(5_000);
  });

  it('has one limit for everything it waits for', async () => {
    const start = waiting({ limitMs: 5_000, attemptMs: 2_000 });
    await start.wait('Kafka', start.attemptFailing([away()]));
    const registryAway = new InfrastructureError('schema-registry-unavailable', 'no answer within 2000 ms');
    const attempt = start.attemptFailing([registryAway, registryAway]);
    await expect(start.wait('the schema registry', attempt)).rejects.toThrow(
      'the schema registry was not available within 5 s (START_TIMEOUT_MS): no answer within 2000 ms',
    );
  });

  it('does not wait at all where the limit is 0', async () => {
    const start = waiting({ limitMs: 0 });
    await expect(start.wait('Kafka', start.attemptFailing([away()]))).rejects.toThrow(/^connect ECONN/);
    expect(start.delays).toEqual([]);
  });
});

describe('a start that waiting does not help', () => {
  it.each([
    ['refused credentials', new MessagingError('broker-refused', 'SASL', { canRetry: false })],
    ['a missing topic', new ConfigError('the broker lacks topics: plat.a')],
    ['credentials that the registry refuses', new InfrastructureError('schema-registry-refused', '401')],
    [
      'a certificate that is not trusted',
      new MessagingError('broker-unavailable', 'Connection error: self-signed certificate', {
        canRetry: true,
      }),
    ],
    ['a bug', new TypeError('undefined is not a function')],
  ])('fails at once: %s', async (_, error) => {
    const start = waiting();
    await expect(start.wait('Kafka', start.attemptFailing([error]))).rejects.toBe(error);
    expect([start.delays, start.lines]).toEqual([[], []]);
  });
});

describe('an aborted start', () => {
  it('ends at once, during an attempt that hangs and between attempts', async () => {
    for (const attempt of [() => new Promise<never>(() => undefined), () => Promise.reject(away())]) {
      const ending = new AbortController();
      const wait = createStartWait({
        limitMs: 60_000,
        onWait: () => undefined,
        signal: ending.signal,
        wait: () => new Promise<never>(() => undefined),
      });
      const started = wait('Kafka', attempt);
      ending.abort(new Error('SIGTERM'));
      await expect(started).rejects.toThrow('SIGTERM');
      await expect(wait('Kafka', () => Promise.resolve())).rejects.toThrow('SIGTERM');
    }
  });
});
