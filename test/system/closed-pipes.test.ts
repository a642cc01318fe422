import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { EXAMPLE_FOLDER } from '../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../..');

it.each<[number, string, ...string[]]>([
  [0, 'catalogue', 'validate', EXAMPLE_FOLDER],
  [0, 'topics', '--help'],
  [2, 'dead-letters', 'nonsense'],
])(
  'a command with closed pipes exits with the code of its result, %i: %s %s',
  async (code, command, ...args) => {
    const child = spawn(process.execPath, [`scripts/${command}.ts`, ...args], { cwd: root });
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([code, null]);
  },
);
