import { expect, it, onTestFinished } from 'vitest';
import { spawnScript, startEngine } from '../support/worlds/engine-process.ts';

async function deadLetters(url: string, ...args: string[]) {
  const { ended, stdout, stderr } = spawnScript(['scripts/dead-letters.ts', ...args, '--url', url], {});
  return { code: await ended, text: stdout() + stderr() };
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
