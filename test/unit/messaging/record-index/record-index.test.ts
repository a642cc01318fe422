import { describe, expect, it } from 'vitest';
import type { IndexFiles } from '../../../../shared/messaging/record-index/index-files.ts';
import { INDEX_LIMITS } from '../../../../shared/messaging/record-index/record-index.ts';
import { openTestIndex, type TestIndexOptions } from '../../../support/record-index/test-index.ts';

const HOUR_MS = 3_600_000;
const SMALL = { generationRows: 10, generationSpanMs: 400, memoryRows: 1_000, waitingBytes: 1_000_000 };

const open = (options: TestIndexOptions = {}) => openTestIndex({ limits: SMALL, ...options });

describe('an index of records', () => {
  it('finds the newest record of a key before and after it is written', () => {
    const { put, find, write } = open();
    put('a', 'first');
    put('a', 'second');
    expect(find('a')).toBe('second');
    write();
    expect(find('a')).toBe('second');
    put('a', 'third');
    expect(find('a')).toBe('third');
    write();
    expect([find('a'), find('b')]).toEqual(['third', undefined]);
  });

  it('finds a record that it did not have when it was looked up before', () => {
    const { index, put, find, write } = open();
    expect([find('a'), find('a')]).toEqual([undefined, undefined]);
    put('a', 'first');
    expect(find('a')).toBe('first');
    write();
    expect(find('a')).toBe('first');
    index.delete('a');
    write();
    expect([find('a'), find('a')]).toEqual([undefined, undefined]);
    put('a', 'second');
    write();
    expect(find('a')).toBe('second');
  });

  it('tells ids apart when there are more than it remembers', () => {
    const { put, find, write } = open();
    const ids = Array.from({ length: 5_000 }, (_, number) => `id ${number}`);
    for (const id of ids) expect(find(id)).toBeUndefined();
    for (const id of ids.slice(0, 900)) put(id, id);
    write();
    for (const id of ids) expect(find(id)).toBe(ids.indexOf(id) < 900 ? id : undefined);
  });

  it('finds records of all generations, the newest of a key first', () => {
    const { index, put, find, write } = open();
    for (let id = 0; id < 35; id += 1) {
      put(`id ${id}`, `value ${id}`);
      put('each time', `value ${id}`);
      write();
    }
    expect(index.size().records).toBeGreaterThan(35);
    for (let id = 0; id < 35; id += 1) expect(find(`id ${id}`)).toBe(`value ${id}`);
    expect(find('each time')).toBe('value 34');
  });

  it('finds no record that a tombstone removed, from any generation', () => {
    const { index, put, find, write } = open();
    for (let round = 0; round < 3; round += 1) {
      put('a', String(round));
      for (let id = 0; id < 12; id += 1) put(`${round} ${id}`, '');
      write();
    }
    index.delete('a');
    expect(find('a')).toBeUndefined();
    write();
    expect(find('a')).toBeUndefined();
  });

  it('removes generations whose records are expired, and keeps the open ones', () => {
    const { index, put, find, write } = open();
    put('open', 'still', 0, true);
    put('was open', 'before', 0, true);
    put('ended', 'gone');
    write();
    put('was open', 'after', 500);
    for (let atMs = 500; atMs < 5_000; atMs += 100) {
      put(`at ${atMs}`, '', atMs);
      write();
    }
    expect([find('ended'), find('at 3000'), find('open')]).toEqual([undefined, undefined, 'still']);
    expect(find('at 4000')).toBe('');
    expect(index.size().records).toBeLessThan(30);
    expect([...index.openRecords()].map(({ value }) => Buffer.from(value).toString())).toEqual(['still']);
  });

  it('begins no generation at each write while it reads records of three days and new ones together', () => {
    const opened: number[] = [];
    const files: IndexFiles = {
      generations: [],
      fileOf: (number) => {
        opened.push(number);
        return ':memory:';
      },
      remove: () => Promise.resolve(),
      removeAll: () => undefined,
      markDamaged: () => undefined,
      close: () => undefined,
    };
    const { index, put, find, write } = openTestIndex({
      files,
      limits: INDEX_LIMITS,
      retentionMs: 72 * HOUR_MS,
    });
    const startMs = 100 * HOUR_MS;
    for (let turn = 0; turn < 20; turn += 1) {
      for (let id = 0; id < 150; id += 1) put(`old ${turn} ${id}`, '', startMs - (70 - turn) * HOUR_MS);
      put(`new ${turn}`, '', startMs + turn);
      write();
    }
    expect(opened.length).toBeLessThanOrEqual(2);
    // New records of the following days are in generations of a day again, and these are removed.
    for (let hour = 1; hour < 200; hour += 1) {
      put(`at ${hour}`, '', startMs + hour * HOUR_MS);
      write();
    }
    expect(opened.length).toBeLessThanOrEqual(11);
    expect([find('old 19 0'), find('new 0'), find('at 150')]).toEqual([undefined, undefined, '']);
    expect(index.size().records).toBeLessThan(100);
  });

  it('measures the age of records by its clock, although no other record follows', () => {
    let nowMs = 1_000;
    const { put, find } = open({ clock: { now: () => nowMs } });
    put('a', 'value', 0);
    expect(find('a')).toBe('value');
    nowMs = 1_001;
    expect(find('a')).toBeUndefined();
  });

  it('in memory is full at its limit, and writes again after a generation has expired', () => {
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const { index, put, fire, write } = open({
      clock,
      limits: { ...SMALL, memoryRows: 40, waitingBytes: 2_000 },
    });
    let recovered = 0;
    index.onRecovered(() => (recovered += 1));
    let added = 0;
    while (index.accepts() && added < 1_000) {
      put(`id ${added}`, '');
      added += 1;
      if (added % 10 === 0) write();
    }
    expect(added).toBeLessThan(100);
    expect(index.health()).toEqual({
      status: 'starting',
      reason: expect.stringContaining('holds 40 records in memory: set DATA_DIR') as string,
    });
    for (let id = 0; id < added; id += 1) expect(index.find(`id ${id}`)).toBeDefined();
    expect(recovered).toBe(0);
    nowMs = 2_000;
    fire();
    expect([index.health().status, index.accepts(), recovered]).toEqual(['ready', true, 1]);
  });

  it('writes records at once when too many wait, also if its reader does not ask whether it accepts more', () => {
    const { index, put } = open({ limits: { ...SMALL, waitingBytes: 2_000 } });
    for (let id = 0; id < 100; id += 1) {
      put(`id ${id}`, 'x'.repeat(id));
    }
    expect(index.size().waiting).toBeLessThan(10);
  });

  it('knows its positions and from when on it is complete', () => {
    const { index } = open();
    expect([index.positions, index.completeFromMs]).toEqual([[], 0]);
    index.passed({ topic: 't', partition: 1, offset: 5 });
    index.passed({ topic: 't', partition: 1, offset: 6 });
    index.setIncompleteBefore(70);
    index.setIncompleteBefore(60);
    expect([index.positions, index.completeFromMs]).toEqual([[{ topic: 't', partition: 1, offset: 6 }], 70]);
    index.discard();
    expect([index.positions, index.completeFromMs]).toEqual([[], 0]);
  });
});
