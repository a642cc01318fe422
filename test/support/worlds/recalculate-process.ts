import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Duplex, PassThrough } from 'node:stream';
import { deserialize } from 'node:v8';
import { expect, onTestFinished } from 'vitest';
import type { Checkpoint } from '../../../scripts/recalculate/resume.ts';
import { runRecalculate } from '../../../scripts/recalculate/whole-run.ts';
import type { Report } from '../../../scripts/recalculate/run-report.ts';
import { contractLine } from '../builders/portfolio-lines.ts';
import { scratchFolder } from '../scratch-folder.ts';
import { spawnScript } from './engine-process.ts';

export type CommandRun = ReturnType<typeof beginRecalculation>;

/** Starts `scripts/recalculate.ts` as npm does. */
export function beginRecalculation(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const run = spawnScript(['scripts/recalculate.ts', ...args], env);
  onTestFinished(() => void run.child.kill('SIGKILL'));
  return run;
}

/** Runs the command in this process, which saves the second in which another one loads its modules. */
export async function recalculateHere(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  stdout: Duplex | WriteStream = new PassThrough(),
) {
  const abandoned = new AbortController();
  let err = '';
  const code = await runRecalculate(args, {
    environment,
    stdout,
    stderr: { write: (text) => (err += text) },
    interrupt: () => ({
      stopped: new AbortController().signal,
      abandoned: abandoned.signal,
      signalName: () => undefined,
      abandon: () => abandoned.abort(new Error('the run has ended')),
    }),
  });
  return { code, stdout: 'read' in stdout ? String(stdout.read() ?? '') : '', stderr: err };
}

/** Expects that the command refuses with code 2 and these words. */
export async function expectRefusal(
  args: readonly string[],
  words: RegExp,
  environment?: NodeJS.ProcessEnv,
): Promise<void> {
  const { code, stderr } = await recalculateHere(args, environment);
  expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
}

/** The report that `--json` printed. */
export const reportOf = (stdout: string) => JSON.parse(stdout) as Report;

/** The checkpoint of a run that does not work on it at the moment. */
export function storedRun(output: string): Checkpoint {
  const database = new DatabaseSync(`${output}.checkpoint`, { readOnly: true });
  try {
    const row = database.prepare('SELECT state FROM checkpoint').get();
    return deserialize(row?.['state'] as Buffer) as Checkpoint;
  } finally {
    database.close();
  }
}

export function portfolioFolder() {
  const folder = scratchFolder();
  const at = (name: string): string => path.join(folder, name);
  return {
    at,
    write: (name: string, content: string | Buffer): string => {
      writeFileSync(at(name), content);
      return at(name);
    },
    pipe: (name: string): string => {
      execFileSync('mkfifo', [at(name)]);
      return at(name);
    },
    text: (name: string): string => readFileSync(at(name), 'utf8'),
    bytes: (name: string): Buffer => readFileSync(at(name)),
    lines: (name: string): string[] => linesOf(readFileSync(at(name), 'utf8')),
  };
}

export const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** Contracts c-1, c-2, ... that differ in amount and length; `instead` replaces lines by their number, counted from 1. */
export function portfolio(count: number, instead: Readonly<Record<number, string>> = {}): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const members = { Amount: 1_000 + index, InstallmentsNo: 3 + (index % 10) };
    return instead[index + 1] ?? contractLine(`c-${index + 1}`, members);
  });
  return `${lines.join('\n')}\n`;
}
