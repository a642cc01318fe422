import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TOPIC } from '../../shared/messaging/topics/topics.ts';
import { remoteLetterLog } from '../../scripts/dead-letters/remote-letter-log.ts';
import { startEngine } from '../support/worlds/engine-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 30_000;

/** Runs `npm run dead-letters` while the engine runs. */
function deadLetters(dataFolder: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataFolder };
  return new Promise((resolve) => {
    const script = ['scripts/dead-letters.ts', ...args];
    execFile(process.execPath, script, { cwd: ROOT, env, timeout: COMMAND_LIMIT_MS }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: out + err });
    });
  });
}

it('npm run dead-letters lists, discards and shows dead letters of a running npm start, and fails without one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataFolder = path.join(folder, 'data');
  const engine = await startEngine(['schedule', 'ingress'], { DATA_DIR: dataFolder });
  onTestFinished(async () => {
    await engine.end('SIGKILL');
  });
  const value = Buffer.from('{"jsonParam": {}}');
  const headers = { 'plat-message-type': 'CalculatePMTRequest' };
  await remoteLetterLog(path.join(dataFolder, 'admin.json')).publish([
    { topic: TOPIC.scheduleRequests, key: 'k', value, headers },
  ]);
  const list = () => deadLetters(dataFolder, 'list');
  await expect
    .poll(async () => (await list()).text, { timeout: COMMAND_LIMIT_MS })
    .toContain('1 letter: 1 invalid-request');
  const id = /^\S+/.exec((await list()).text)?.[0] ?? '';
  expect(await deadLetters(dataFolder, 'discard', id, '--reason', 'a test')).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 discarded') as string,
  });
  expect((await list()).text).toContain('1 handled not shown');
  expect(await deadLetters(dataFolder, 'show', id)).toMatchObject({
    text: expect.stringContaining('a test') as string,
  });
  expect(await deadLetters(dataFolder, 'redrive')).toMatchObject({ code: 2 });

  expect(await engine.end('SIGTERM')).toBe(0);
  expect(existsSync(path.join(dataFolder, 'admin.json'))).toBe(false);
  expect(await list()).toMatchObject({ code: 1, text: expect.stringContaining('npm start') as string });
});
