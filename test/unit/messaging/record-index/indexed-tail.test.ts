import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { IndexedTail } from '../../../../shared/messaging/record-index/indexed-tail.ts';
import { tailStopped } from '../../../../shared/messaging/broker-errors.ts';
import type { LogMessage, PartitionOffset } from '../../../../shared/messaging/message.ts';
import type { Broker, Tail, TailOptions } from '../../../../shared/messaging/ports.ts';
import type { RecordIndex } from '../../../../shared/messaging/record-index/record-index.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts, sleep, systemTimers } from '../../../../shared/platform/system-ports.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function tailOver(
  createTail: (options: TailOptions, canWrite: () => boolean) => Tail,
  receive: (message: LogMessage) => void | Promise<void>,
  positions: () => readonly PartitionOffset[] = () => [],
) {
  let canWrite = false;
  let onRecovered: (() => void) | undefined;
  const index = {
    get positions() {
      return positions();
    },
    accepts: () => canWrite,
    health: () => (canWrite ? { status: 'ready' } : { status: 'starting', reason: 'full' }),
    onRecovered: (callback: () => void) => (onRecovered = callback),
    close: () => undefined,
  } as unknown as RecordIndex;
  const create = (options: TailOptions) => createTail(options, () => canWrite);
  const broker = { createTail: create, admin: { offsets: () => Promise.resolve([]) } } as unknown as Broker;
  const options = { ...systemPorts, clientId: 'test', topics: ['states'], index, log: silentLog };
  const tail = new IndexedTail(broker, options, (message) => {
    if (!canWrite) throw new Error('full');
    return receive(message);
  });
  const setWritable = (value: boolean): void => {
    canWrite = value;
    if (value) onRecovered?.();
  };
  return { tail, setWritable };
}

function recoveringTail() {
  const readers = { running: 0 };
  const createTail = (_: TailOptions, canWrite: () => boolean): Tail => {
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    let isRunning = false;
    return {
      start: async (receive) => {
        await sleep(systemTimers, 1_000);
        isRunning = true;
        readers.running += 1;
        receive(fakeMessage(0));
      },
      caughtUp: () => {
        if (!isRunning) return Promise.reject(tailStopped('test'));
        // Only one that takes records reaches the end.
        return canWrite() ? Promise.resolve() : stopped.promise;
      },
      isReady: () => isRunning,
      stop: async () => {
        stopped.reject(tailStopped('test'));
        await sleep(systemTimers, 1_000);
        if (isRunning) readers.running -= 1;
        isRunning = false;
      },
    };
  };
  const receive = vi.fn<() => void>();
  return { ...tailOver(createTail, receive), readers, received: () => receive.mock.calls.length };
}

it('has one reader after an index that recovers, fails and recovers again while the reader is replaced', async () => {
  const { tail, readers, setWritable, received } = recoveringTail();
  await expect(tail.caughtUp(1_000)).rejects.toMatchObject({ code: 'tail-stopped' });
  const started = tail.start();
  await vi.advanceTimersByTimeAsync(1_500);
  for (let times = 0; times < 3; times += 1) {
    setWritable(true);
    await vi.advanceTimersByTimeAsync(300);
    setWritable(false);
    await vi.advanceTimersByTimeAsync(300);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  setWritable(true);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(started).resolves.toBeUndefined();
  expect([tail.isCurrent(), received(), readers.running]).toEqual([true, 1, 1]);
});

const createTail = ({ positions = [] }: TailOptions): Tail => ({
  start: (onMessage) => {
    for (let offset = positions[0]?.offset ?? 0; offset < 10; offset += 1) onMessage(fakeMessage(offset));
    return Promise.resolve();
  },
  caughtUp: () => Promise.resolve(),
  isReady: () => true,
  stop: () => Promise.resolve(),
});

function lateTail() {
  let position = 0;
  const schema = Promise.withResolvers<void>();
  const received: number[] = [];
  const receive = ({ offset }: LogMessage): void | Promise<void> => {
    const pass = (): void => {
      received.push(offset);
      position = offset + 1;
    };
    return offset === 0 ? schema.promise.then(pass) : pass();
  };
  const positions = () => [{ topic: 'states', partition: 0, offset: position }];
  const { tail, setWritable } = tailOver(createTail, receive, positions);
  onTestFinished(() => tail.stop(0));
  setWritable(true);
  return { tail, schema, received, setWritable };
}

it('reads records once, in order, whose index fails while they wait for a schema', async () => {
  const { tail, schema, received, setWritable } = lateTail();
  const started = tail.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tail.health()).toEqual({ status: 'degraded', reason: 'states waits for a schema' });
  setWritable(false);
  schema.resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(received).toEqual([0]);
  setWritable(true);
  await vi.advanceTimersByTimeAsync(1_000);
  await started;
  expect(received).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(tail.health()).toEqual({ status: 'ready' });
});

it('a start waits for a schema for as long as that takes', async () => {
  const { tail, schema, received } = lateTail();
  const started = tail.start();
  await vi.advanceTimersByTimeAsync(600_000);
  schema.resolve();
  await started;
  expect(received).toHaveLength(10);
});

it('reads a record again whose index failed when it was received, although the first new reader cannot start', async () => {
  const received: number[] = [];
  let readers = 0;
  const create = (options: TailOptions): Tail => {
    readers += 1;
    const reader = createTail(options);
    return readers === 2 ? { ...reader, start: () => Promise.reject(new Error('away')) } : reader;
  };
  const receive = ({ offset }: LogMessage): void => {
    received.push(offset);
    if (received.length !== 4) return;
    setWritable(false);
    throw new Error('full');
  };
  const { tail, setWritable } = tailOver(create, receive);
  onTestFinished(() => tail.stop(0));
  setWritable(true);
  void tail.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(received).toEqual([0, 1, 2, 3]);
  setWritable(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([readers, received.slice(4)]).toEqual([3, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});
