import { spawn } from 'node:child_process';
import path from 'node:path';
import { endWithThis } from '../support/worlds/engine-process.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;
const ROOT = path.resolve(import.meta.dirname, '../..');
const MAX_KEPT = 8_000;

/** Runs `npm run recalculate` in its own process. */
export interface RecalculateProcess {
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** The end of its output. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
}

export function startRecalculate(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RecalculateProcess {
  const child = spawn(
    process.execPath,
    ['--disable-warning=TimeoutNegativeWarning', 'scripts/recalculate.ts', ...args],
    { cwd: ROOT, env: { PATH, NODE_COMPILE_CACHE, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  endWithThis(child);
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-MAX_KEPT);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return {
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
    }),
    output: () => output,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}
