import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startEngine } from '../support/worlds/engine-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 30_000;

/** Runs `npm run dead-letters` while the engine runs. */
function deadLetters(url: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE };
  return new Promise((resolve) => {
    const script = ['scripts/dead-letters.ts', ...args, '--url', url];
    execFile(process.execPath, script, { cwd: ROOT, env, timeout: COMMAND_LIMIT_MS }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: out + err });
    });
  });
}

it('npm run dead-letters calls a running npm start, and says what is wrong otherwise', async () => {
  const engine = await startEngine(['schedule', 'ingress']);
  onTestFinished(async () => {
    await engine.end('SIGKILL');
  });
  const { url } = engine;
  expect(await deadLetters(url, 'list')).toEqual({ code: 0, text: '0 letters\n' });
  expect(await deadLetters(url, 'list', '--since', '2026-02-30')).toMatchObject({
    code: 1,
    text: expect.stringContaining('since must be') as string,
  });
  const place = 'plat.schedule.dead-letters.v1/0/7';
  expect(await deadLetters(url, 'discard', place, '--reason', 'a test', '--dry-run')).toMatchObject({
    code: 1,
    text: expect.stringContaining('no letter with this id') as string,
  });
  expect(await deadLetters(url, 'redrive')).toMatchObject({ code: 2 });
  expect(await engine.end('SIGTERM')).toBe(0);
  expect(await deadLetters(url, 'list')).toMatchObject({
    code: 1,
    text: expect.stringContaining('start one with npm start') as string,
  });
});
