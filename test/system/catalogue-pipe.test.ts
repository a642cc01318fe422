import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_FOLDER } from '../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../..');
const USAGE = 2;

/** Runs `npm run catalogue` for a reader that closes both pipes before anything is written, and answers the exit code. */
async function exitCodeOf(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['scripts/catalogue.ts', ...args], { cwd: root });
  child.stdout.destroy();
  child.stderr.destroy();
  const [code] = (await once(child, 'exit')) as readonly unknown[];
  return code;
}

describe('a command of the catalogue whose reader has gone', () => {
  it('ends with the exit code of its work', async () => {
    expect(await exitCodeOf('validate', EXAMPLE_FOLDER)).toBe(0);
    expect(await exitCodeOf('validate', EXAMPLE_FOLDER, '--json')).toBe(0);
    expect(await exitCodeOf('--help')).toBe(0);
    expect(await exitCodeOf('validate', '/nowhere/at/all')).toBe(USAGE);
  });
});
