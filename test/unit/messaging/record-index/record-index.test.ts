import { describe, expect, it } from 'vitest';
import { openTestIndex as open } from '../../../support/record-index/test-index.ts';

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

  it('finds no record that a tombstone removed', () => {
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

  it('removes records that are expired, and keeps the open ones', () => {
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
    expect(index.openRecords().map(({ value }) => Buffer.from(value).toString())).toEqual(['still']);
  });

  it('measures the age of records by its clock, although no other record follows', () => {
    let nowMs = 1_000;
    const { put, find } = open({ clock: { now: () => nowMs } });
    put('a', 'value', 0);
    expect(find('a')).toBe('value');
    nowMs = 1_001;
    expect(find('a')).toBeUndefined();
  });

  it('in memory is full at its limit, forgets nothing, and writes again after records have expired', () => {
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const { index, put, fire, write } = open({
      clock,
      limits: { memoryBytes: 100_000, waitingBytes: 2_000 },
    });
    let recovered = 0;
    index.onRecovered(() => (recovered += 1));
    let added = 0;
    while (index.accepts() && added < 10_000) {
      put(`id ${added}`, '');
      added += 1;
      if (added % 10 === 0) write();
    }
    expect(added).toBeLessThan(5_000);
    expect(index.health()).toEqual({
      status: 'starting',
      reason: expect.stringContaining('its memory is full: set DATA_DIR') as string,
    });
    for (let id = 0; id < added; id += 1) expect(index.find(`id ${id}`)).toBeDefined();
    expect(recovered).toBe(0);
    nowMs = 2_000;
    fire();
    expect([index.health().status, index.accepts(), recovered]).toEqual(['ready', true, 1]);
  });

  it('writes records at once when too many wait, also if its reader does not ask whether it accepts more', () => {
    const { index, put } = open({ limits: { waitingBytes: 2_000 } });
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
