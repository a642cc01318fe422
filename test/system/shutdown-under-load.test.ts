import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../support/conformance/wait.ts';
import { startShutdownLoad, type LoadEnds } from '../support/shutdown-load.ts';
import { startEngine } from '../support/worlds/engine-process.ts';

/**
 * `SHUTDOWN_ROUNDS=50 npx vitest run --project system test/system/shutdown-under-load.test.ts` repeats the shutdown, and then
 * sends calls until after the process has ended: that also meets the port at the moment in which it is closed.
 */
const ROUNDS = Number(process.env['SHUTDOWN_ROUNDS'] ?? 0);
const RATES = { 'kept-alive': 100, 'new-connection': 100, 'mostly-idle': 60, 'late-body': 20 };
/** Calls before the signal: enough to open all connections. */
const BEFORE_MS = 1_500;
/** Calls after the signal: as long as callers need to learn of the shutdown, and shorter than the port is open. */
const AFTER_MS = 300;
const ENV = { RATE_LIMIT_PER_SECOND: '0' };
const END_LIMIT_MS = 20_000;
const ROUND_LIMIT_MS = 60_000;

/** Ends a process under load; returns its exit code and how the calls ended. */
async function shutDown(callsGoOn: boolean) {
  const engine = await startEngine([], ENV);
  onTestFinished(async () => void (await engine.end('SIGKILL')));
  const load = startShutdownLoad({ url: engine.url, callsPerSecond: RATES });
  await sleep(BEFORE_MS);
  const ending = engine.end('SIGTERM');
  await sleep(AFTER_MS);
  if (!callsGoOn) load.pause();
  const exitCode = await ending;
  await load.stop(END_LIMIT_MS);
  return { exitCode, ends: Object.entries(load.ends) };
}

const broken = ({ cut, other, unanswered }: LoadEnds) => ({ cut, other, unanswered });
const NONE = { cut: {}, other: {}, unanswered: 0 };

describe('SIGTERM under load', () => {
  it('resets no connection and leaves no call without an answer', async () => {
    const { exitCode, ends } = await shutDown(false);
    expect(exitCode).toBe(0);
    for (const [kind, end] of ends) {
      expect({ kind, ...broken(end) }).toEqual({ kind, ...NONE });
      expect(end.answered).toBeGreaterThan(0);
    }
  });

  it.each(ROUNDS > 0 ? [ROUNDS] : [])(
    'resets no connection in %i rounds while the calls go on',
    async (rounds) => {
      const sums: Record<string, number> = {};
      for (let round = 1; round <= rounds; round += 1) {
        const { exitCode, ends } = await shutDown(true);
        expect(exitCode).toBe(0);
        for (const [kind, { cut, other, ...counts }] of ends) {
          for (const [name, count] of Object.entries({ ...counts, ...cut, ...other })) {
            sums[`${kind} ${name}`] = (sums[`${kind} ${name}`] ?? 0) + count;
          }
        }
        process.stderr.write(`round ${round}: ${JSON.stringify(sums)}\n`);
      }
      expect(Object.keys(sums).filter((name) => /ECONN|EPIPE|within/.test(name))).toEqual([]);
    },
    ROUNDS * ROUND_LIMIT_MS,
  );
});
