import { expect, test } from 'vitest';
import { createTable, type TableOptions } from '../../../../shared/messaging/table/table.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';

function createScene(options: Partial<TableOptions> = {}) {
  const tails: FakeTail[] = [];
  const table = createTable({
    broker: {
      createTail: (tail) => {
        tails.push(new FakeTail(tail));
        return tails.at(-1)!;
      },
    },
    topic: 'products',
    clientId: 'table-1',
    log: silentLog,
    ...options,
  });
  const tail = tails[0]!;
  const put = (offset: number, key: string | null, value: string | null) => {
    tail.deliver(fakeMessage(offset, { key, value: value === null ? null : Buffer.from(value) }));
  };
  const get = (key: string) => table.record(key)?.value.toString();
  return { table, tail, put, get };
}

test('is ready after reading to the end, and degraded while its tail is not ready', async () => {
  const { table, tail } = createScene();
  const { promise, resolve } = Promise.withResolvers<void>();
  tail.onCaughtUp = () => promise;
  const started = table.start();
  await Promise.resolve();
  expect(table.health().status).toBe('starting');
  resolve();
  await started;
  expect(table.health().status).toBe('ready');
  tail.ready = false;
  expect(table.health().status).toBe('degraded');
});

test('keeps the latest record of a key, and removes it on a tombstone', async () => {
  const { table, put, get } = createScene();
  await table.start();
  put(0, 'a', 'one');
  put(1, 'b', 'two');
  put(2, 'a', 'three');
  put(3, 'b', null);
  expect(get('a')).toBe('three');
  expect(get('b')).toBeUndefined();
  expect(table.record('a')).toMatchObject({ offset: 2, value: Buffer.from('three') });
  expect(table.stats()).toMatchObject({ records: 1, bytes: 'three'.length });
});

test('counts and skips an invalid record, and keeps the previous one', async () => {
  const { table, put, get } = createScene({
    check: ({ value }) => {
      if (value?.toString() === 'bad') throw new Error('bad');
    },
  });
  await table.start();
  put(0, 'a', 'good');
  put(1, 'a', 'bad');
  put(2, null, 'without a key');
  put(3, 'b', 'after');
  expect(get('a')).toBe('good');
  expect(get('b')).toBe('after');
  expect(table.stats().badRecords).toBe(2);
});

test('reports changes, and continues if the listener throws', async () => {
  const changes: [string, string | undefined][] = [];
  const { table, put } = createScene({
    onChange: (key, record) => {
      changes.push([key, record?.value.toString()]);
      throw new Error('a bug');
    },
  });
  await table.start();
  put(0, 'a', 'one');
  put(1, 'a', null);
  put(2, 'a', null);
  put(3, 'b', 'two');
  expect(changes).toEqual([
    ['a', 'one'],
    ['a', undefined],
    ['b', 'two'],
  ]);
});

test.each([{ maxRecords: 2 }, { maxBytes: 6 }])(
  'is not ready if the topic exceeds its limits: %j',
  async (limit) => {
    const { table, put } = createScene(limit);
    await table.start();
    put(0, 'a', 'one');
    put(1, 'b', 'two');
    put(2, 'c', 'six');
    expect(table.stats().records).toBe(2);
    expect(table.stats().leftOut).toBe(1);
    expect(table.health().status).toBe('starting');
  },
);

test('rejects start() if the end is not reached in time', async () => {
  const { table, tail } = createScene();
  tail.onCaughtUp = () => Promise.reject(new Error('too slow'));
  await expect(table.start()).rejects.toThrow('too slow');
  expect(table.health().status).toBe('starting');
  await table.stop();
  expect(tail.stops).toBe(1);
});

test('copies value and headers out of the fetched buffer', async () => {
  const { table, tail } = createScene();
  await table.start();
  const fetched = Buffer.alloc(10_000, 'x');
  const headers = {
    type: fetched.subarray(0, 2),
    repeated: [fetched.subarray(2, 3), 'text'],
    text: 'text',
    absent: undefined,
  };
  tail.deliver(fakeMessage(0, { key: 'a', value: fetched.subarray(100, 103), headers }));
  const { value, headers: kept } = table.record('a')!;
  expect(value.toString()).toBe('xxx');
  expect(kept).toEqual({ type: Buffer.from('xx'), repeated: [Buffer.from('x'), 'text'], text: 'text' });
  const { type, repeated } = kept as { type: Buffer; repeated: [Buffer, string] };
  expect([value, type, repeated[0]].map(({ buffer }) => buffer.byteLength)).toEqual([6, 6, 6]);
});
