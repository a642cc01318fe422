import { expect, test } from 'vitest';
import { EncodedRecords } from '../../../../shared/product/storage/records-in-memory.ts';
import { encodeRecord } from '../../../../shared/product/storage/catalogue-message.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';
import {
  CATALOGUE_TOPIC,
  catalogueCodec,
  interestListValue,
  recordOf,
} from '../../../support/worlds/catalogue-world.ts';

function createScene(options: Partial<ConstructorParameters<typeof EncodedRecords>[0]> = {}) {
  const tails: FakeTail[] = [];
  const changes: string[] = [];
  const codec = catalogueCodec();
  const records = new EncodedRecords({
    broker: {
      createTail: (tail) => {
        tails.push(new FakeTail(tail));
        return tails.at(-1)!;
      },
    },
    topic: CATALOGUE_TOPIC,
    codec,
    clientId: 'catalogue-1',
    log: silentLog,
    timers: systemPorts.timers,
    onChange: ({ code, version }) => changes.push(`${code}/${version}`),
    ...options,
  });
  const tail = tails[0]!;
  /** Delivers a list of interests. */
  const put = async (offset: number, code: string, name = 'Interests') => {
    const list = recordOf('interest-list', interestListValue(code, { Name: name }));
    const { key, value, headers } = await encodeRecord(codec, CATALOGUE_TOPIC, list);
    tail.deliver(fakeMessage(offset, { key: String(key), value: value as Buffer, headers: headers ?? {} }));
  };
  const nameOf = (code: string) => {
    const entry = records.index.get(`interest-list/${code}/1`);
    const found = entry && records.unpack(entry);
    return found?.kind === 'interest-list' ? found.record.Name : undefined;
  };
  return { records, tail, put, nameOf, changes };
}

test('is ready after reading to the end, and degraded while its tail is not ready', async () => {
  const { records, tail } = createScene();
  const { promise, resolve } = Promise.withResolvers<void>();
  tail.onCaughtUp = () => promise;
  const started = records.start();
  await Promise.resolve();
  expect(records.health().status).toBe('starting');
  resolve();
  await started;
  expect(records.health().status).toBe('ready');
  tail.ready = false;
  expect(records.health().status).toBe('degraded');
});

test('keeps the latest record of a key, removes it on a tombstone, and reports each change', async () => {
  const { records, tail, put, nameOf, changes } = createScene();
  await records.start();
  await put(0, 'a', 'one');
  await put(1, 'b', 'two');
  expect(nameOf('a')).toBe('one');
  await put(2, 'a', 'three');
  for (const offset of [3, 4]) tail.deliver(fakeMessage(offset, { key: 'interest-list/b/1', value: null }));
  expect([nameOf('a'), nameOf('b')]).toEqual(['three', undefined]);
  expect(changes).toEqual(['a/1', 'b/1', 'a/1', 'b/1']);
  expect(records.stats()).toMatchObject({ records: 1, badRecords: 0, unpackedRecords: 1 });
});

test('counts and skips an unreadable record, and keeps the previous one', async () => {
  const { records, tail, put, nameOf, changes } = createScene();
  await records.start();
  await put(0, 'a', 'good');
  tail.deliver(fakeMessage(1, { key: 'interest-list/a/1', value: Buffer.from('bad') }));
  tail.deliver(fakeMessage(2, { key: null }));
  await put(3, 'b', 'after');
  expect([nameOf('a'), nameOf('b')]).toEqual(['good', 'after']);
  expect(changes).toEqual(['a/1', 'b/1']);
  expect(records.stats().badRecords).toBe(2);
});

test.each([{ maxRecords: 2 }, { maxBytes: 1_000 }])(
  'is not ready if the topic exceeds its limits: %j',
  async (limit) => {
    const { records, put } = createScene(limit);
    await records.start();
    for (const [offset, code] of ['a', 'b', 'c'].entries()) await put(offset, code);
    expect(records.stats()).toMatchObject({ records: 2, leftOut: 1 });
    expect(records.health().status).toBe('starting');
  },
);

test('rejects start() if the end is not reached in time', async () => {
  const { records, tail } = createScene();
  tail.onCaughtUp = () => Promise.reject(new Error('too slow'));
  await expect(records.start()).rejects.toThrow('too slow');
  expect(records.health().status).toBe('starting');
  await records.stop();
  expect(tail.stops).toBe(1);
});

test('copies value and headers out of the fetched buffer', async () => {
  const { records, tail, put } = createScene();
  await records.start();
  await put(0, 'a');
  const { value } = records.index.get('interest-list/a/1')!.encoded;
  const fetched = Buffer.concat([value, Buffer.alloc(10_000, 'x')]);
  const buffers = { type: fetched.subarray(-2), repeated: [fetched.subarray(-1), 'text'] };
  const headers = { ...buffers, text: 'text', absent: undefined };
  const content = { value: fetched.subarray(0, value.length), headers };
  tail.deliver(fakeMessage(1, { key: 'interest-list/a/1', ...content }));
  const { value: own, headers: kept } = records.index.get('interest-list/a/1')!.encoded;
  expect(own).toEqual(value);
  expect(kept).toEqual({ type: Buffer.from('xx'), repeated: [Buffer.from('x'), 'text'], text: 'text' });
  const { type, repeated } = kept as { type: Buffer; repeated: [Buffer, string] };
  const ownBytes = value.length + 'xx'.length + 'x'.length;
  for (const { buffer } of [own, type, repeated[0]]) expect(buffer.byteLength).toBe(ownBytes);
});
