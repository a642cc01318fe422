import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readCheckpoint } from '../../../../scripts/recalculate/output/checkpoint.ts';

function checkpointWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'out.ndjson.checkpoint.json');
  writeFileSync(file, text);
  return file;
}

it('a checkpoint of another version is refused in one line that says what to do', () => {
  const file = checkpointWith(JSON.stringify({ version: 1, runId: 'r', tally: { calculated: 1 } }));
  expect(() => readCheckpoint(file)).toThrow(
    `${file} was written by another version of the command (checkpoint version 1, not 2): resume the run with that version, or start a new one with --overwrite`,
  );
});

it.each([
  ['', ''],
  ['null', ''],
  ['{"version": 2, "runId": ', ''],
  ['{"version": 2}', ' (runId)'],
  ['{"version": "2"}', ' (version)'],
])('the damaged checkpoint %j is refused in one line with its first fault', (text, where) => {
  const file = checkpointWith(text);
  expect(() => readCheckpoint(file)).toThrow(
    new Error(`${file} is not a valid checkpoint${where}: --overwrite starts a new run`),
  );
});
