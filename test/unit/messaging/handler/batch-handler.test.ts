import { expect, test, vi } from 'vitest';
import type { Codec, Decoded } from '../../../../shared/messaging/codec.ts';
import {
  isTransientFailure,
  done,
  refused,
  retry,
  type Outcome,
} from '../../../../shared/messaging/outcome.ts';
import type { Handler, Request } from '../../../../shared/messaging/handler/request.ts';
import { createBatchHandler, type BatchCounts } from '../../../../shared/messaging/handler/batch-handler.ts';
import {
  type BatchItem,
  type EncodedBatch,
  REPLY_BATCH,
  type ReplyBatch,
} from '../../../../shared/messaging/codec/request-batch.ts';
import { WorkSlices } from '../../../../shared/messaging/handler/work-slices.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createFakeCodec, readFakeValue } from '../../../support/fakes/codec.ts';
import { fakeRequest } from '../../../support/fakes/messages.ts';

const NOW_MS = 1_700_000_000_000;
const SLICE_MS = 2;

interface SceneOptions {
  readonly handler?: Handler;
  readonly codec?: Partial<Codec>;
  readonly context?: Partial<Request>;
}

function createScene(items: number | readonly BatchItem[], options: SceneOptions = {}) {
  let nowMs = 0;
  let turns = 0;
  const nextTurn = (callback: () => void) => {
    turns += 1;
    setImmediate(callback);
  };
  const monotonic = { elapsedMs: () => nowMs };
  const slices = new WorkSlices({ sliceMs: SLICE_MS, monotonic, timers: { nextTurn } });
  const counts: BatchCounts[] = [];
  let outsideMs = 0;
  const handle = createBatchHandler({
    handlers: { Question: options.handler ?? (() => done({ type: 'Answer', payload: 42 })) },
    codec: createFakeCodec(options.codec),
    slices,
    clock: { now: () => NOW_MS + outsideMs },
    log: silentLog,
    onItems: (one) => counts.push({ ...one }),
  });
  const all = typeof items === 'number' ? Array.from({ length: items }, (_, n) => question(n)) : items;
  const open = () => ({ kind: 'items', items: all }) as const;
  const context = fakeRequest({ format: 'json', originTimestampMs: NOW_MS, ...options.context });
  const runWith = (changes: Partial<Request>) =>
    Promise.resolve(handle({ format: 'json', open } satisfies EncodedBatch, { ...context, ...changes }));
  return {
    run: () => runWith({}),
    runWith,
    counts,
    slices,
    work: (ms: number) => (nowMs += ms),
    turns: () => turns,
    advance: (ms: number) => (outsideMs += ms),
  };
}

const question = (n: number, decoded?: Decoded): BatchItem => ({
  id: n,
  decode: () => decoded ?? { kind: 'decoded', type: 'Question', format: 'json', payload: n },
});

function batchOf(outcome: Outcome): ReplyBatch {
  if (outcome.kind !== 'done' || outcome.reply?.type !== REPLY_BATCH) throw new Error('there is no reply');
  expect(outcome.reply.payload).toBeUndefined();
  const { type, payload } = readFakeValue(outcome.reply.encoded?.value);
  expect(type).toBe(REPLY_BATCH);
  const { items } = payload as ReplyBatch;
  return { items: items.map((item) => ({ ...item, value: Buffer.from(item.value) })) };
}

function answersOf(outcome: Outcome): unknown[] {
  return batchOf(outcome).items.map(({ id, status, value }) => {
    const { payload } = readFakeValue(value);
    return [id, status, (payload as { code?: string }).code ?? payload];
  });
}

test('counts each item as progress of its message, and of those that wait for it', async () => {
  const [progress, waiting] = [0, 0].map((steps) => ({ receivedMs: 0, steps }));
  const { run, runWith } = createScene(3, { context: { progress } });
  await Promise.all([run(), runWith({ progress: waiting })]);
  expect([progress?.steps, waiting?.steps]).toEqual([3, 6]);
});

test('answers an item with a problem if its reply does not fit the schema', async () => {
  const { run } = createScene(3, {
    codec: {
      encode: (type, payload) => {
        if (type === 'Answer' && payload === 1) throw new RangeError('does not fit');
        return { value: Buffer.from(JSON.stringify({ type, payload })), headers: {} };
      },
    },
    handler: (n) => done({ type: 'Answer', payload: n }),
  });
  expect(answersOf(await run())).toEqual([
    [0, 200, 0],
    [1, 500, 'unexpected'],
    [2, 200, 2],
  ]);
});

test.each([
  ['unavailable infrastructure', () => Promise.reject(new InfrastructureError('broker-unavailable', 'away'))],
  ['an item that can only be handled later', () => retry(5, createProblem('not-ready'))],
])('retries the whole batch and releases the slices on %s', async (_, handler) => {
  const { run, slices, counts } = createScene(3, { handler });
  const failure: unknown = await run().catch((error: unknown) => error);
  expect(isTransientFailure(failure)).toBe(true);
  expect(counts).toEqual([]);
  await slices.acquire();
});

test('waits for its slice before it begins, and refuses the outputs of a handler', async () => {
  const output = { topic: 't', key: null, value: null };
  const handler = vi.fn<Handler>(() => done({ type: 'Answer', payload: 42 }, [output]));
  const { run, slices } = createScene(1, { handler });
  await slices.acquire();
  const running = run();
  await tick();
  expect(handler).not.toHaveBeenCalled();
  slices.release();
  expect(answersOf(await running)).toEqual([[0, 500, 'unexpected']]);
});

test('yields to the event loop at the end of each slice', async () => {
  const items = 40;
  const itemMs = 0.5;
  let others = 0;
  let longest = 0;
  let inARow = 0;
  const scene = createScene(items, {
    handler: () => {
      scene.work(itemMs);
      inARow += 1;
      longest = Math.max(longest, inARow);
      return done({ type: 'Answer', payload: 1 });
    },
  });
  let isOver = false;
  const other = (): void => {
    others += 1;
    inARow = 0;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  await scene.run();
  isOver = true;
  expect(longest * itemMs).toBe(SLICE_MS);
  // The reply is encoded in a separate slice.
  expect(scene.turns()).toBe((items * itemMs) / SLICE_MS + 1);
  expect(others).toBeGreaterThanOrEqual(scene.turns() - 1);
});

test('stops at the next slice when the process stops', async () => {
  const stop = new AbortController();
  let handled = 0;
  const scene = createScene(100, {
    context: { signal: stop.signal },
    handler: () => {
      handled += 1;
      scene.work(1);
      if (handled === 3) stop.abort();
      return done({ type: 'Answer', payload: 1 });
    },
  });
  const failure: unknown = await scene.run().catch((error: unknown) => error);
  expect(isTransientFailure(failure)).toBe(true);
  expect(handled).toBe(4);
});

const tick = () => new Promise((resolve) => setImmediate(resolve));

const waiting = (n: number, decoded: Promise<Decoded>): BatchItem => ({ id: n, decode: () => decoded });

test.each(['decode', 'handle', 'encode'] as const)(
  'releases the slices while it waits for %s, and acquires them again afterwards',
  async (where) => {
    const gate = Promise.withResolvers<unknown>();
    const late = gate.promise.then(() => question(0).decode());
    const after = <T>(step: string, value: T) => (where === step ? gate.promise.then(() => value) : value);
    const { run, slices } = createScene(where === 'decode' ? [waiting(0, late), question(1)] : 2, {
      handler: () => after('handle', done({ type: 'Answer', payload: 42 })),
      codec: {
        encode: (type, payload) =>
          after('encode', { value: Buffer.from(JSON.stringify({ type, payload })), headers: {} }),
      },
    });
    const running = run();
    let isDone = false;
    void running.then(() => (isDone = true));
    await tick();
    await slices.acquire();
    gate.resolve(undefined);
    for (let turn = 0; turn < 10; turn += 1) await tick();
    expect(isDone).toBe(false);
    slices.release();
    expect(answersOf(await running)).toEqual([
      [0, 200, 42],
      [1, 200, 42],
    ]);
    await slices.acquire();
  },
);

test('handles nothing if the process stops while the batch waits, and refuses it if the deadline passes', async () => {
  const stop = new AbortController();
  const gate = Promise.withResolvers<Decoded>();
  const handler = vi.fn<Handler>(() => done({ type: 'Answer', payload: 42 }));
  const stopping = createScene([waiting(0, gate.promise)], { context: { signal: stop.signal }, handler });
  const late = createScene([waiting(0, gate.promise), question(1)], { context: { deadlineMs: NOW_MS } });
  const failure = stopping.run().catch((error: unknown) => error);
  const outcome = late.run();
  await tick();
  stop.abort();
  late.advance(60_000);
  gate.resolve(question(0).decode());
  expect(isTransientFailure(await failure)).toBe(true);
  expect(await outcome).toMatchObject({ kind: 'refused', problem: { code: 'deadline-exceeded' } });
  expect(handler).not.toHaveBeenCalled();
});

test('refuses a batch whose deadline passes between its items', async () => {
  const handled: unknown[] = [];
  const { run, advance } = createScene(3, {
    context: { deadlineMs: NOW_MS },
    handler: (payload) => {
      handled.push(payload);
      advance(60_000);
      return done({ type: 'Answer', payload });
    },
  });
  expect(await run()).toMatchObject({ kind: 'refused', problem: { code: 'deadline-exceeded' } });
  expect(handled).toEqual([0]);
});

test('adds the correlation id of the message to the problem of an item (E1)', async () => {
  const { run } = createScene(1, {
    context: { correlationId: Buffer.from('batch-1') },
    handler: () => refused(createProblem('not-computable')),
  });
  const [answer] = batchOf(await run()).items;
  const { payload } = readFakeValue(answer?.value);
  expect(payload).toMatchObject({ code: 'not-computable', correlationId: 'batch-1' });
});
