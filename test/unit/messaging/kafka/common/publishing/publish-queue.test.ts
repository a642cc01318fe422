import { describe, expect, test } from 'vitest';
import { PublishCall } from '../../../../../../shared/messaging/kafka/common/publishing/publish-call.ts';
import {
  PublishQueue,
  type PublishSlice,
} from '../../../../../../shared/messaging/kafka/common/publishing/publish-queue.ts';
import { MessagingError } from '../../../../../../shared/platform/errors.ts';

const KIB = 1_024;
const DEADLINE = 1_000;

const refused = new MessagingError('message-too-large', 'too large', { canRetry: false });

function newCall(records = 1, deadlineAt = DEADLINE): PublishCall {
  const call = new PublishCall('test', records, deadlineAt);
  call.promise.catch(() => undefined);
  return call;
}

function add(
  queue: PublishQueue,
  partition: number,
  name: string,
  options: { bytes?: number; call?: PublishCall } = {},
) {
  const { bytes = 100, call = newCall() } = options;
  queue.add('t', partition, { record: { key: name, value: null }, bytes, valueBytes: bytes, call });
  return call;
}

function names(slices: readonly PublishSlice[]): string[] {
  return slices.map(
    ({ queue, entries }) => `${queue.partition}:${entries.map(({ record }) => record.key).join('')}`,
  );
}

function settledState(call: PublishCall): Promise<string> {
  return Promise.race([
    call.promise.then(
      () => 'stored',
      (error: MessagingError) => error.code,
    ),
    new Promise<string>((resolve) => {
      setImmediate(() => resolve('pending'));
    }),
  ]);
}

describe('PublishQueue', () => {
  test('combines the first records of all partitions in one request, in order', () => {
    const queue = new PublishQueue();
    for (const name of ['a', 'b', 'c']) add(queue, 0, name);
    add(queue, 1, 'x');
    expect(names(queue.take(0))).toEqual(['0:abc', '1:x']);
  });

  test('keeps taken records until they are confirmed, and repeats them first', async () => {
    const queue = new PublishQueue();
    const call = add(queue, 0, 'a');
    const first = queue.take(0);
    add(queue, 0, 'b');
    expect(names(first)).toEqual(['0:a']);
    expect(names(queue.take(0))).toEqual(['0:ab']);
    queue.settle(first);
    expect(await settledState(call)).toBe('stored');
    expect(names(queue.take(0))).toEqual(['0:b']);
    expect([queue.records, queue.bytes]).toEqual([1, 100]);
  });

  test('limits a partition to 500 records and 512 KiB per request', () => {
    const queue = new PublishQueue();
    for (let index = 0; index < 600; index += 1) add(queue, 0, 'a');
    for (let index = 0; index < 3; index += 1) add(queue, 1, 'b', { bytes: 200 * KIB });
    expect(queue.take(0).map(({ entries }) => entries.length)).toEqual([500, 2]);
  });

  test('limits a request to 1,000 records, and continues with the omitted partitions', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1, 2]) {
      for (let index = 0; index < 500; index += 1) add(queue, partition, 'a');
    }
    const first = queue.take(0);
    expect(first.map(({ queue: { partition } }) => partition)).toEqual([0, 1]);
    expect(queue.take(0)[0]?.queue.partition).toBe(2);
  });

  test('limits a request to 4 MiB', () => {
    const queue = new PublishQueue();
    for (let partition = 0; partition < 9; partition += 1) add(queue, partition, 'a', { bytes: 512 * KIB });
    expect(queue.take(0)).toHaveLength(8);
  });

  test('stops sending one by one when the topic is refused', () => {
    const queue = new PublishQueue();
    for (const name of ['a', 'b', 'c']) add(queue, 0, name);
    queue.take(0)[0]?.queue.sendSingly(3);
    queue.refuse('t', refused, []);
    for (const name of ['d', 'e']) add(queue, 0, name);
    expect(names(queue.take(0))).toEqual(['0:de']);
  });

  test('sends a record larger than the batch limit in a separate request', () => {
    const queue = new PublishQueue();
    add(queue, 0, 'a');
    add(queue, 1, 'L', { bytes: 600 * KIB });
    add(queue, 1, 'b');
    add(queue, 2, 'c');
    const first = queue.take(0);
    expect(names(first)).toEqual(['0:a', '2:c']);
    queue.settle(first);
    expect(names(queue.take(0))).toEqual(['1:L']);
  });

  test('delays a partition after a failed request and then sends it separately', () => {
    const queue = new PublishQueue();
    add(queue, 0, 'a');
    add(queue, 1, 'b');
    const [bad] = queue.take(0);
    bad?.queue.distrust(0);
    expect(names(queue.take(0))).toEqual(['1:b']);
    expect(queue.nextDueMs()).toBe(0);
    const later = queue.take(1_000);
    expect(names(later)).toEqual(['0:a']);
    queue.settle(later);
    add(queue, 0, 'c');
    expect(names(queue.take(1_000)).toSorted()).toEqual(['0:c', '1:b']);
  });

  test('alternates between requests for single partitions and for all others', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1, 2, 3, 4]) add(queue, partition, 'x');
    for (const { queue: taken } of queue.take(0).slice(0, 3)) taken.distrust(0);
    const requests = Array.from({ length: 6 }, () => names(queue.take(1_000)).toSorted());
    expect(requests).toEqual([['0:x'], ['3:x', '4:x'], ['1:x'], ['3:x', '4:x'], ['2:x'], ['3:x', '4:x']]);
  });

  test('takes free partitions only, and wakes for none of the others', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1, 2]) add(queue, partition, 'x');
    queue.take(0, ({ partition }) => partition === 2)[0]?.queue.delay(0);
    expect(names(queue.take(10, ({ partition }) => partition > 0))).toEqual(['1:x']);
    expect(queue.nextDueMs(({ partition }) => partition > 0)).toBe(0);
    expect(queue.nextDueMs(({ partition }) => partition === 2)).toBe(50);
    expect(queue.take(10, () => false)).toEqual([]);
    expect(queue.nextDueMs(() => false)).toBeUndefined();
  });

  test('lets other partitions send for as long as a failed single request took, up to 2 s', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1]) add(queue, partition, 'x');
    queue.take(0)[0]?.queue.distrust(0);
    expect(names(queue.take(1_000))).toEqual(['0:x']);
    queue.failedAlone(1_000, 1_500);
    const taken = [1_500, 1_600, 1_999, 2_000].map((nowMs) => names(queue.take(nowMs)));
    expect(taken).toEqual([['1:x'], ['1:x'], ['1:x'], ['0:x']]);
    queue.failedAlone(2_000, 7_000);
    expect([7_000, 8_999, 9_000].map((nowMs) => names(queue.take(nowMs)))).toEqual([
      ['1:x'],
      ['1:x'],
      ['0:x'],
    ]);
  });

  test('does not delay other partitions long after a large record', () => {
    const queue = new PublishQueue();
    add(queue, 0, 'L', { bytes: 600 * KIB });
    queue.settle(queue.take(0));
    const hourMs = 3_600_000;
    add(queue, 0, 'M', { bytes: 600 * KIB });
    add(queue, 1, 'x');
    const taken = [0, 1].map((step) => names(queue.take(hourMs + step)));
    expect(taken.flat().toSorted()).toEqual(['0:M', '1:x']);
  });

  test('sends the partition with fewer failures first, and alternates failed partitions with large records', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1]) add(queue, partition, 'x');
    for (let count = 0; count < 3; count += 1) add(queue, 2, 'L', { bytes: 600 * KIB });
    const [first, second] = queue.take(0);
    for (const slice of [first, first, second]) slice?.queue.distrust(0);
    const taken = Array.from({ length: 4 }, () => {
      const slices = queue.take(1_000);
      if (slices[0]?.queue.partition === 2) queue.settle(slices);
      else slices[0]?.queue.distrust(0);
      return names(slices);
    });
    expect(taken).toEqual([['1:x'], ['2:L'], ['0:x'], ['2:L']]);
  });

  test('keeps records in flight when their topic is refused', async () => {
    const queue = new PublishQueue();
    const calls = [0, 1].map((partition) => add(queue, partition, 'x'));
    const inFlight = queue.take(0).filter((slice) => slice.queue.partition === 1);
    const late = add(queue, 1, 'y');
    queue.refuse('t', refused, inFlight);
    const outcomes = await Promise.all([...calls, late].map(settledState));
    expect(outcomes).toEqual(['message-too-large', 'pending', 'message-too-large']);
    expect(queue.records).toBe(1);
  });

  test('rejects with send-unknown at the deadline when one message is in flight and another is queued', async () => {
    for (const inFlightPartition of [0, 1]) {
      const queue = new PublishQueue();
      const call = newCall(2);
      for (const partition of [0, 1]) add(queue, partition, 'x', { call });
      const inFlight = queue.take(0).filter((slice) => slice.queue.partition === inFlightPartition);
      queue.expire(DEADLINE, inFlight);
      expect(await settledState(call)).toBe('send-unknown');
    }
  });

  test('rejects with send-unknown if one message was refused and another one stored', async () => {
    const queue = new PublishQueue();
    const call = newCall(2);
    for (const partition of [0, 1]) add(queue, partition, 'x', { call });
    const [first, second] = queue.take(0);
    if (first === undefined || second === undefined) throw new Error('both partitions are due');
    queue.settle([first], new MessagingError('not-sent', 'refused', { canRetry: false }));
    queue.settle([second]);
    await expect(call.promise).rejects.toMatchObject({ code: 'send-unknown', canRetry: false });
  });

  test('delays a partition refused by its leader and then sends it with the others', () => {
    const queue = new PublishQueue();
    for (const partition of [0, 1]) add(queue, partition, 'x');
    queue.take(0)[0]?.queue.delay(0);
    expect(names(queue.take(49))).toEqual(['1:x']);
    expect(names(queue.take(50)).toSorted()).toEqual(['0:x', '1:x']);
  });

  test('stops sending one by one when the records have expired', () => {
    const queue = new PublishQueue();
    for (const name of ['a', 'b', 'c']) add(queue, 0, name);
    queue.take(0)[0]?.queue.sendSingly(3);
    queue.expire(DEADLINE, []);
    for (const name of ['d', 'e']) add(queue, 0, name, { call: newCall(1, 2 * DEADLINE) });
    expect(names(queue.take(DEADLINE))).toEqual(['0:de']);
  });

  test('doubles the delay of a failing partition up to 1 s', () => {
    const queue = new PublishQueue();
    add(queue, 0, 'a');
    const [slice] = queue.take(0);
    const waits = Array.from({ length: 7 }, () => {
      slice?.queue.distrust(0);
      return queue.nextDueMs();
    });
    expect(waits).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
  });

  test('sends a refused batch one record at a time', async () => {
    const queue = new PublishQueue();
    const calls = ['a', 'b', 'c'].map((name) => add(queue, 0, name));
    queue.take(0)[0]?.queue.sendSingly(3);
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const slices = queue.take(0);
      expect(names(slices)).toEqual([`0:${name}`]);
      queue.settle(slices, index === 1 ? refused : undefined);
    }
    expect(await Promise.all(calls.map(settledState))).toEqual(['stored', 'message-too-large', 'stored']);
    add(queue, 0, 'd');
    add(queue, 0, 'e');
    expect(names(queue.take(0))).toEqual(['0:de']);
  });

  test('keeps records of other topics when a topic is refused', async () => {
    const queue = new PublishQueue();
    const call = add(queue, 0, 'a');
    queue.add('other', 0, { record: { value: null }, bytes: 1, valueBytes: 1, call: newCall() });
    queue.refuse('t', refused, []);
    expect(await settledState(call)).toBe('message-too-large');
    expect(queue.take(0).map((slice) => slice.queue.topic)).toEqual(['other']);
  });

  test('rejects at the deadline with not-sent for queued records and send-unknown for those in flight', async () => {
    const queue = new PublishQueue();
    const sent = add(queue, 0, 'a');
    const inFlight = queue.take(0);
    const waiting = add(queue, 0, 'b');
    const later = add(queue, 0, 'c', { call: newCall(1, DEADLINE + 1) });
    queue.expire(DEADLINE, inFlight);
    expect(await Promise.all([sent, waiting, later].map(settledState))).toEqual([
      'send-unknown',
      'not-sent',
      'pending',
    ]);
    await expect(sent.promise).rejects.toThrow('the deadline passed; messages may have been stored');
    queue.settle(inFlight);
    expect(names(queue.take(DEADLINE))).toEqual(['0:c']);
  });

  test('settles a call with its last record, and rejects with the first error', async () => {
    const queue = new PublishQueue();
    const call = newCall(2);
    add(queue, 0, 'a', { call });
    add(queue, 1, 'b', { call });
    const [first, second] = queue.take(0);
    if (first === undefined || second === undefined) throw new Error('both partitions are due');
    queue.settle([first], refused);
    expect(await settledState(call)).toBe('pending');
    queue.settle([second]);
    expect(await settledState(call)).toBe('message-too-large');
  });
});
