import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Runs until it is told to end, and tells in files of its folder that it runs and that it has ended in order. */
const PROGRAM = `
import { writeFileSync } from 'node:fs';
process.once('SIGTERM', () => {
  writeFileSync(new URL('ended', import.meta.url), '');
  process.exit(0);
});
setTimeout(() => process.exit(1), 20_000);
writeFileSync(new URL('running', import.meta.url), String(process.pid));
`;

/** The program as an npm script runs it: by a shell that waits for it. */
function runByShell(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'with-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const command = [`"${process.execPath}"`, 'scripts/with-node.mjs', `"${program}"`, ...args, '; true'];
  const shell = spawn('sh', ['-c', command.join(' ')], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'ignore',
  });
  const has = (name: string) => existsSync(path.join(folder, name));
  onTestFinished(() => {
    if (has('running') && !has('ended')) process.kill(Number(readFileSync(path.join(folder, 'running'))));
  });
  return { shell, has };
}

const NPM = { npm_lifecycle_event: 'recalculate' };

it('the end of the shell that npm runs a script by ends the script in order', async () => {
  const { shell, has } = runByShell(NPM);
  await expect.poll(() => has('running')).toBe(true);
  shell.kill('SIGTERM');
  await expect.poll(() => has('ended')).toBe(true);
});

it.each([
  ['started without npm', {}, []],
  ['told to outlive its parent', NPM, ['--outlive-parent']],
])('a program that is %s goes on', async (_, env, args) => {
  const { shell, has } = runByShell(env, ...args);
  await expect.poll(() => has('running')).toBe(true);
  shell.kill('SIGTERM');
  // Longer than the program looks for its parent.
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  expect(has('ended')).toBe(false);
});
