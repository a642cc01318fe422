import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BLOCKED_LOOP_EXIT_CODE } from '../../../shared/platform/loop-watchdog.ts';

const PROCESS = path.resolve(import.meta.dirname, '../../support/blocked-loop-process.ts');
const LIMIT_MS = 1_000;
/** The number of turns that show that the event loop is running. */
const MIN_TURNS = 10;

function start(kind: string) {
  const child = spawn(process.execPath, [PROCESS, kind, String(LIMIT_MS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const turns = () => out.split('turn').length - 1;
  return { child, turns, stderr: () => err };
}

describe('the event loop watchdog', () => {
  test.each([
    [
      'of microtasks',
      'microtasks',
      /^(pollForever|fetchNothing) \(test\/support\/blocked-loop-process\.ts:\d+\)$/,
    ],
    ['of synchronous code', 'loop', /^countForever \(test\/support\/blocked-loop-process\.ts:\d+\)$/],
  ])(
    'logs the call stack of a blocking loop %s as one JSON line and exits with its exit code',
    async (_, kind, place) => {
      const { child, stderr } = start(kind);
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code).toBe(BLOCKED_LOOP_EXIT_CODE);
      const line = JSON.parse(stderr()) as { where: readonly string[] };
      expect(line).toMatchObject({
        level: 50,
        name: 'blocked',
        blockedMs: LIMIT_MS,
        msg: 'the event loop is blocked: ending the process',
      });
      expect(line.where[0]).toMatch(place);
    },
  );

  test('kills a process that is blocked in native code', async () => {
    const { child, stderr } = start('native');
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(stderr())).toMatchObject({ where: ['native code'] });
  });

  test('ends a blocked process whose stderr is closed', async () => {
    const { child } = start('loop');
    child.stderr.destroy();
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(BLOCKED_LOOP_EXIT_CODE);
  });

  test('does not end a process that blocks for less than the limit', async () => {
    const { child, turns } = start('busy');
    await expect.poll(turns).toBeGreaterThan(MIN_TURNS);
    expect(child.exitCode).toBeNull();
  });

  test.skipIf(process.platform !== 'linux')(
    'does not end a process that other processes starve of CPU',
    async () => {
      for (let count = 0; count < availableParallelism(); count += 1) {
        const other = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
        onTestFinished(() => {
          other.kill('SIGKILL');
        });
      }
      const { child, turns, stderr } = start('starved');
      await expect.poll(turns, { timeout: 20_000 }).toBeGreaterThan(0);
      expect({ code: child.exitCode, stderr: stderr() }).toEqual({ code: null, stderr: '' });
    },
  );

  test('does not end a process that was suspended for longer than the limit', async () => {
    const { child, turns, stderr } = start('idle');
    await expect.poll(turns).toBeGreaterThan(0);
    child.kill('SIGSTOP');
    await sleep(2 * LIMIT_MS);
    child.kill('SIGCONT');
    const before = turns();
    await expect.poll(turns).toBeGreaterThan(before + (2 * LIMIT_MS) / 100);
    expect({ code: child.exitCode, stderr: stderr() }).toEqual({ code: null, stderr: '' });
  });
});
