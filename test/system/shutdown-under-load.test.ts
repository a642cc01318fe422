import { expect, it, onTestFinished } from 'vitest';
import { sleep } from '../support/conformance/wait.ts';
import { startShutdownLoad, type LoadEnds } from '../support/shutdown-load.ts';
import { startEngine } from '../support/worlds/engine-process.ts';

const RATES = { 'kept-alive': 40, 'new-connection': 40, 'mostly-idle': 60, 'late-body': 20 };
/** Calls before the signal: enough to open all connections. */
const BEFORE_MS = 1_500;
/** Calls after the signal: as long as callers need to learn of the shutdown, and shorter than the port is open. */
const AFTER_MS = 300;
const TWICE_MS = 100;
const ENV = { RATE_LIMIT_PER_SECOND: '0' };
const END_LIMIT_MS = 20_000;

const broken = ({ cut, other, unanswered }: LoadEnds) => ({ cut, other, unanswered });
const NONE = { cut: {}, other: {}, unanswered: 0 };

it('a signal under load resets no connection and leaves no call without an answer, also if it arrives twice within a second, as Ctrl-C does under npm', async () => {
  const engine = await startEngine([], ENV);
  onTestFinished(async () => void (await engine.end('SIGKILL')));
  const load = startShutdownLoad({ url: engine.url, callsPerSecond: RATES });
  await sleep(BEFORE_MS);
  engine.child.kill('SIGINT');
  // Two that arrive at once are one.
  await sleep(TWICE_MS);
  const ending = engine.end('SIGINT');
  await sleep(AFTER_MS);
  load.pause();
  expect(await ending).toBe(0);
  await load.stop(END_LIMIT_MS);
  for (const [kind, end] of Object.entries(load.ends)) {
    expect({ kind, ...broken(end) }).toEqual({ kind, ...NONE });
    expect(end.answered).toBeGreaterThan(0);
  }
});
