import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/**
 * One broker did not respond to a fetch while another closed its connections. kafkajs replaced its fetchers and waited for
 * the silent broker; meanwhile the consumer was stopped. The new fetchers then polled the stopped consumer in a loop that
 * blocked the event loop: 100 % of a core, no health check, no signal handler. Only SIGKILL ended the process.
 */
const PROCESS = path.resolve(import.meta.dirname, '../support/spinning-consumer-process.ts');
/** A healthy run takes 3 s. */
const LIMIT_MS = 25_000;

test('does not block the event loop when a consumer is stopped while its fetchers are replaced', async () => {
  const child = spawn(process.execPath, [PROCESS], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  expect({ code, signal, out }).toEqual({ code: 0, signal: null, out: 'free\n' });
});
