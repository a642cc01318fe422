import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_FOLDER } from '../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../..');
const USAGE = 2;

/** Runs a command with stdout and stderr closed by their reader, and returns the exit code. */
async function exitCodeOf(command: string, ...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [`scripts/${command}.ts`, ...args], { cwd: root });
  child.stdout.destroy();
  child.stderr.destroy();
  const [code] = (await once(child, 'exit')) as readonly unknown[];
  return code;
}

describe('a command with closed pipes', () => {
  it('exits with the code of its result', async () => {
    expect(await exitCodeOf('catalogue', 'validate', EXAMPLE_FOLDER)).toBe(0);
    expect(await exitCodeOf('catalogue', 'validate', '/nowhere/at/all')).toBe(USAGE);
    expect(await exitCodeOf('schemas', 'list')).toBe(0);
  });

  it('prints its help to nobody', async () => {
    expect(await exitCodeOf('topics', '--help')).toBe(0);
  });

  it.each(['catalogue', 'dead-letters', 'schemas', 'topics'])('is not ended by them: %s', async (command) => {
    expect(await exitCodeOf(command, 'nonsense')).toBe(USAGE);
  });
});
