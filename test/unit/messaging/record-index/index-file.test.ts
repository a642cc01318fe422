import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openIndexFile } from '../../../../shared/messaging/record-index/record-index.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { openTestIndex } from '../../../support/record-index/test-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const POSITION = { topic: 't', partition: 0, offset: 7 };
const FILE = 'test-index-1.db';

function leaveIndex(folder: string): void {
  const { index, put } = openTestIndex({ folder });
  put('a', 'value');
  index.passed(POSITION);
  index.setIncompleteBefore(70);
  index.close();
}

it.each([
  ['it belongs to other topics', 'another', () => undefined],
  ['its file is damaged', 'test', (file: string) => writeFileSync(file, 'x'.repeat(10_000))],
  ['its file is empty', 'test', (file: string) => writeFileSync(file, '')],
])('an index in a file is built again if %s', (_, origin, change) => {
  const folder = scratchFolder();
  leaveIndex(folder);
  change(path.join(folder, FILE));
  const { index, find } = openTestIndex({ folder, origin });
  expect([index.health().status, find('a'), index.positions]).toEqual(['ready', undefined, []]);
  index.close();
  expect(readdirSync(folder)).toEqual([FILE]);
});

it('an index in a file continues after it was closed, and each process of a machine has its own file or that of an ended one', () => {
  const folder = scratchFolder();
  leaveIndex(folder);
  expect(readdirSync(folder)).toEqual([FILE]);
  const one = openTestIndex({ folder });
  const two = openTestIndex({ folder });
  expect([one.index.positions, one.index.completeFromMs]).toEqual([[POSITION], 70]);
  expect([one.find('a'), two.find('a')]).toEqual(['value', undefined]);
  one.index.close();
  const three = openTestIndex({ folder });
  expect(three.find('a')).toBe('value');
  two.index.close();
  three.index.passed({ ...POSITION, offset: 9 });
  three.index.close();
  const { index } = openTestIndex({ folder });
  expect(index.positions).toEqual([{ ...POSITION, offset: 9 }]);
  index.close();
});

it('an index in a file writes any number of records', () => {
  const { index, put, write } = openTestIndex({ folder: scratchFolder() });
  for (let id = 0; id < 600; id += 1) put(`id ${id}`, 'value');
  write();
  expect(index.size()).toEqual({ records: 600, waiting: 0 });
  index.close();
});

it('an index in a file reports a folder that cannot be used as a wrong setting', () => {
  const folder = path.join(scratchFolder(), 'file');
  writeFileSync(folder, '');
  const text = /set another DATA_DIR, or DATA_DIR=memory/;
  expect(() => openIndexFile(folder, 'test', 'test', silentLog)).toThrow(text);
});

it('an index in a file is not ready while its file cannot be written, forgets nothing, and recovers', () => {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (_: unknown, text?: string) => void logged.push(text) };
  const options = { folder: scratchFolder(), limits: { waitingBytes: 3_000 }, log };
  const { index, file, put, find, write, fire, delays } = openTestIndex(options);
  put('before', 'value');
  write();
  file?.database.exec('PRAGMA query_only = ON');
  let added = 0;
  for (; index.accepts() && added < 1_000; added += 1) put(`id ${added}`, 'value');
  expect(index.health()).toMatchObject({ status: 'starting' });
  expect(logged).toEqual(['records are not indexed']);
  expect(added).toBeLessThan(100);
  const ids = ['before', ...Array.from({ length: added }, (_, id) => `id ${id}`)];
  expect(ids.filter((id) => find(id) === undefined)).toEqual([]);
  fire();
  expect(delays.at(-1)).toBe(1_000);
  file?.database.exec('PRAGMA query_only = OFF');
  fire();
  expect([index.health().status, index.accepts()]).toEqual(['ready', true]);
  write();
  expect(ids.filter((id) => find(id) === undefined)).toEqual([]);
  index.close();
});

it('an index in a file that is damaged while it is open is unhealthy, and built again by the next start', () => {
  const folder = scratchFolder();
  leaveIndex(folder);
  const first = openTestIndex({ folder });
  writeFileSync(path.join(folder, FILE), Buffer.alloc(40_000, 1));
  expect(() => first.find('a')).toThrow(expect.objectContaining({ code: 'index-unavailable' }));
  expect(first.index.health()).toMatchObject({ status: 'unhealthy' });
  expect(first.index.size()).toEqual({ records: 0, waiting: 0 });
  first.index.close();
  const second = openTestIndex({ folder });
  expect([second.index.health().status, second.find('a')]).toEqual(['ready', undefined]);
  second.index.close();
});
