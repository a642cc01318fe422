import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_FOLDER } from '../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../..');
const USAGE = 2;

/** Runs `npm run catalogue` with stdout and stderr closed by their reader, and returns the exit code. */
async function exitCodeOf(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['scripts/catalogue.ts', ...args], { cwd: root });
  child.stdout.destroy();
  child.stderr.destroy();
  const [code] = (await once(child, 'exit')) as readonly unknown[];
  return code;
}

describe('npm run catalogue with closed pipes', () => {
  it('exits with the code of its result', async () => {
    expect(await exitCodeOf('validate', EXAMPLE_FOLDER)).toBe(0);
    expect(await exitCodeOf('validate', EXAMPLE_FOLDER, '--json')).toBe(0);
    expect(await exitCodeOf('--help')).toBe(0);
    expect(await exitCodeOf('validate', '/nowhere/at/all')).toBe(USAGE);
  });
});
