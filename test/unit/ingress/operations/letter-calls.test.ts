import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { LetterContext } from '../../../../shared/dead-letters/letter-context.ts';
import {
  createLetterCalls,
  type LetterCallsDeps,
} from '../../../../workers/ingress/operations/letter-calls.ts';

/** Calls whose timers fire when the test says so. */
function startCalls() {
  const timers: { callback: () => void; afterMs: number }[] = [];
  const deps = {
    options: { topicPrefix: '' },
    newId: () => 'run-1',
    timers: {
      schedule: (callback: () => void, afterMs: number) => {
        timers.push({ callback, afterMs });
        return () => undefined;
      },
    },
  } as unknown as LetterCallsDeps;
  const calls = createLetterCalls(deps);
  const started: string[] = [];
  const call = (caller: string, work: Promise<unknown> | ((context: LetterContext) => Promise<unknown>)) => {
    const request = { caller, subject: caller } as FastifyRequest;
    const result = calls.run({ request, kind: 'read', reason: undefined }, (context) => {
      started.push(caller);
      return typeof work === 'function' ? work(context) : work;
    });
    return { request, result };
  };
  return { call, started, timers };
}

const untilAborted = ({ signal }: LetterContext) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'));
  });

describe('calls on dead letters', () => {
  it('runs the calls of one caller one after the other, those of others meanwhile', async () => {
    const { call, started } = startCalls();
    const first = Promise.withResolvers<string>();
    const calls = [
      call('ana', first.promise),
      call('ana', Promise.resolve('second')),
      call('ion', Promise.resolve('x')),
    ];
    expect(await calls[2]?.result).toBe('x');
    expect(started).toEqual(['ana', 'ion']);
    first.resolve('first');
    expect(await Promise.all(calls.map(({ result }) => result))).toEqual(['first', 'second', 'x']);
  });

  it('refuses a caller with three waiting calls, and accepts it again afterwards', async () => {
    const { call } = startCalls();
    const first = Promise.withResolvers<string>();
    const waiting = [1, 2, 3, 4].map(() => call('ana', first.promise));
    expect(await call('ana', Promise.resolve('x')).result).toBe('busy');
    first.resolve('done');
    expect(await Promise.all(waiting.map(({ result }) => result))).toEqual(Array(4).fill('done'));
    expect(await call('ana', Promise.resolve('x')).result).toBe('x');
  });

  it('runs at most four calls at a time', async () => {
    const { call } = startCalls();
    const end = Promise.withResolvers<string>();
    const running = ['a', 'b', 'c', 'd'].map((caller) => call(caller, end.promise));
    expect(await call('e', Promise.resolve('x')).result).toBe('full');
    end.resolve('done');
    await Promise.all(running.map(({ result }) => result));
    expect(await call('e', Promise.resolve('x')).result).toBe('x');
  });

  it('does not run a waiting call whose caller has disconnected, and makes room for another at once', async () => {
    const { call, started } = startCalls();
    const first = Promise.withResolvers<string>();
    const running = call('ana', first.promise);
    const waiting = [1, 2, 3].map(() => call('ana', Promise.resolve('x')));
    expect(await call('ana', Promise.resolve('x')).result).toBe('busy');
    waiting[1]?.request.abandoned?.();
    const next = call('ana', Promise.resolve('next'));
    expect(await call('ana', Promise.resolve('x')).result).toBe('busy');
    first.resolve('first');
    expect(await Promise.all([running, ...waiting, next].map(({ result }) => result))).toEqual([
      'first',
      'x',
      'left',
      'x',
      'next',
    ]);
    expect(started).toHaveLength(4);
  });

  it('keeps the place of a running call whose caller has disconnected until it has ended', async () => {
    const { call, started } = startCalls();
    const first = Promise.withResolvers<string>();
    const running = call('ana', first.promise);
    await expect.poll(() => started).toEqual(['ana']);
    running.request.abandoned?.();
    const waiting = [1, 2, 3].map(() => call('ana', Promise.resolve('x')));
    expect(await call('ana', Promise.resolve('x')).result).toBe('busy');
    first.resolve('first');
    expect(await Promise.all(waiting.map(({ result }) => result))).toEqual(['x', 'x', 'x']);
  });

  it('goes on after a call that failed', async () => {
    const { call } = startCalls();
    const failed = call('ana', Promise.reject(new Error('no broker')));
    const next = call('ana', Promise.resolve('x'));
    await expect(failed.result).rejects.toThrow('no broker');
    expect(await next.result).toBe('x');
  });

  it('aborts a call at the end of its time, and when its caller disconnects', async () => {
    const { call, timers } = startCalls();
    const late = call('ana', untilAborted);
    await expect.poll(() => timers.length).toBe(2);
    expect(timers[0]?.afterMs).toBe(10_000);
    timers[0]?.callback();
    expect(await late.result).toBe('aborted');
    const left = call('ion', untilAborted);
    await expect.poll(() => timers.length).toBe(4);
    left.request.abandoned?.();
    expect(await left.result).toBe('aborted');
  });

  it('answers a caller although the broker does not, and keeps the place of the call until it does', async () => {
    const { call, timers } = startCalls();
    const broker = Promise.withResolvers<string>();
    const stuck = ['a', 'b', 'c', 'd'].map((caller) => call(caller, broker.promise));
    await expect.poll(() => timers.length).toBe(8);
    for (const { callback, afterMs } of timers) if (afterMs === 15_000) callback();
    expect(await Promise.all(stuck.map(({ result }) => result))).toEqual(Array(4).fill('late'));
    expect(await call('e', Promise.resolve('x')).result).toBe('full');
    broker.resolve('an answer at last');
    await expect.poll(() => call('e', Promise.resolve('x')).result).toBe('x');
  });

  it('answers a caller whose call waits for one to which the broker does not answer, and never runs that call', async () => {
    const { call, started, timers } = startCalls();
    const broker = Promise.withResolvers<string>();
    const running = call('ana', broker.promise);
    const waiting = [1, 2, 3].map(() => call('ana', Promise.resolve('x')));
    await expect.poll(() => started).toEqual(['ana']);
    for (const { callback, afterMs } of timers) if (afterMs >= 15_000) callback();
    expect(await running.result).toBe('late');
    expect(await Promise.all(waiting.map(({ result }) => result))).toEqual(['busy', 'busy', 'busy']);
    const next = call('ana', Promise.resolve('next'));
    broker.resolve('an answer at last');
    expect(await next.result).toBe('next');
    expect(started).toEqual(['ana', 'ana']);
  });

  it('a call that fails after its caller was answered is no unhandled failure', async () => {
    const { call, timers } = startCalls();
    const broker = Promise.withResolvers<string>();
    const { result } = call('a', broker.promise);
    await expect.poll(() => timers.length).toBe(2);
    timers[1]?.callback();
    expect(await result).toBe('late');
    broker.reject(new Error('no broker'));
    await expect.poll(() => call('a', Promise.resolve('x')).result).toBe('x');
  });
});
