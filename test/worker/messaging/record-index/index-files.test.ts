import { readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openIndexFiles } from '../../../../shared/messaging/record-index/index-files.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { openTestIndex } from '../../../support/record-index/test-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const POSITION = { topic: 't', partition: 0, offset: 7 };

/** Fills an index and closes it, as a process that stops. */
function leaveIndex(folder: string, options = {}): void {
  const { index, put } = openTestIndex({ folder, ...options });
  put('a', 'value');
  index.passed(POSITION);
  index.close();
}

const databases = (folder: string): string[] =>
  readdirSync(path.join(folder, 'index')).filter((name) => name.endsWith('.db'));

describe('an index on disk', () => {
  it('continues with its records and positions after it was closed, also on another start of the system', () => {
    const folder = scratchFolder();
    leaveIndex(folder);
    const { index, find } = openTestIndex({ folder, bootId: 'another' });
    expect([find('a'), index.positions]).toEqual(['value', [POSITION]]);
    index.close();
  });

  it('continues where its generations were followed by new ones', () => {
    const folder = scratchFolder();
    const limits = { generationRows: 10 };
    for (let start = 0; start < 5; start += 1) {
      const { index, put, write } = openTestIndex({ folder, limits });
      for (let id = 0; id < 30; id += 1) {
        put(`${start} ${id}`, 'value');
        write();
      }
      index.passed({ ...POSITION, offset: start });
      index.close();
    }
    const { index, find } = openTestIndex({ folder, limits });
    for (let start = 0; start < 5; start += 1) expect(find(`${start} 0`)).toBe('value');
    expect(index.positions).toEqual([{ ...POSITION, offset: 4 }]);
    expect(databases(folder).length).toBeGreaterThan(10);
    index.close();
  });

  it.each([
    ['it belongs to other topics', 'another', () => undefined],
    [
      'a file is damaged',
      'test',
      (folder: string) => writeFileSync(path.join(folder, 'index-1.000000001.db'), 'x'.repeat(10_000)),
    ],
    [
      'a file between others is lost',
      'test',
      (folder: string) =>
        writeFileSync(
          path.join(folder, 'index-1.000000009.db'),
          readFileSync(path.join(folder, 'index-1.000000001.db')),
        ),
    ],
  ])('is built again if %s', (_, origin, change) => {
    const folder = scratchFolder();
    leaveIndex(folder);
    change(path.join(folder, 'index'));
    const { index, find } = openTestIndex({ folder, origin });
    expect([index.health().status, find('a'), index.positions]).toEqual(['ready', undefined, []]);
    expect(databases(folder)).toHaveLength(1);
    index.close();
  });

  it.each([0, 1])('is built again if file %i of several was emptied', (which) => {
    const folder = scratchFolder();
    const limits = { generationRows: 1 };
    const { index, put, write } = openTestIndex({ folder, limits });
    for (const id of ['a', 'b', 'c']) {
      put(id, 'value');
      index.passed(POSITION);
      write();
    }
    index.close();
    truncateSync(path.join(folder, 'index', databases(folder)[which] ?? ''));
    const again = openTestIndex({ folder, limits });
    expect(['a', 'b', 'c'].map((id) => again.find(id))).toEqual([undefined, undefined, undefined]);
    expect(again.index.positions).toEqual([]);
    again.index.close();
  });

  it('gives each process of a machine its own files, and those of an ended one to the next', () => {
    const folder = scratchFolder();
    leaveIndex(folder);
    const one = openTestIndex({ folder });
    const two = openTestIndex({ folder });
    expect([one.find('a'), two.find('a')]).toEqual(['value', undefined]);
    one.index.close();
    const three = openTestIndex({ folder });
    expect(three.find('a')).toBe('value');
    two.index.close();
    three.index.close();
  });

  it('reports a folder that cannot be used as a wrong setting', () => {
    const folder = path.join(scratchFolder(), 'file');
    writeFileSync(folder, '');
    expect(() => openIndexFiles({ folder, name: 'index', origin: 'test' })).toThrow(
      /set DATA_DIR to a folder/,
    );
  });

  it('is closed and used again although the disk is full then', () => {
    const folder = scratchFolder();
    const opened = openIndexFiles({ folder, name: 'index', origin: 'test', bootId: 'boot' });
    const close = (): void => {
      opened.close();
      throw new Error('database or disk is full');
    };
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (...given: unknown[]) => void warnings.push(given) };
    const { index, put } = openTestIndex({ files: { ...opened, close }, log });
    put('a', 'value');
    index.close();
    expect(warnings).toEqual([
      [{ index: 'index', error: 'database or disk is full' }, 'the state of the index could not be written'],
    ]);
    const again = openTestIndex({ folder });
    expect(again.find('a')).toBe('value');
    again.index.close();
  });

  it('is not ready while a file cannot be written, forgets nothing, and recovers', () => {
    const folder = scratchFolder();
    const { index, put, find, write, fire } = openTestIndex({
      folder,
      limits: { generationRows: 1, waitingBytes: 3_000 },
    });
    put('before', 'value');
    write();
    renameSync(path.join(folder, 'index'), path.join(folder, 'away'));
    let added = 0;
    for (; index.accepts() && added < 1_000; added += 1) put(`id ${added}`, 'value');
    expect(index.health()).toMatchObject({ status: 'starting' });
    expect(added).toBeLessThan(100);
    const ids = ['before', ...Array.from({ length: added }, (_, id) => `id ${id}`)];
    expect(ids.filter((id) => find(id) === undefined)).toEqual([]);
    renameSync(path.join(folder, 'away'), path.join(folder, 'index'));
    fire();
    expect([index.health().status, index.accepts()]).toEqual(['ready', true]);
    write();
    expect(ids.filter((id) => find(id) === undefined)).toEqual([]);
    index.close();
  });
});
