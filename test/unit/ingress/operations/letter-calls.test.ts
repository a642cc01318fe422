import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { LetterContext } from '../../../../shared/dead-letters/letter-context.ts';
import {
  createLetterCalls,
  type LetterCall,
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
  const call = (
    caller: string,
    work: Promise<unknown> | ((context: LetterContext) => Promise<unknown>),
    kind: LetterCall['kind'] = 'read',
  ) => {
    const request = { caller, subject: caller } as FastifyRequest;
    const result = calls.run({ request, kind, reason: undefined }, (context) => {
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
  it('refuses a fourth call of a caller, and accepts it again afterwards', async () => {
    const { call, started } = startCalls();
    const first = Promise.withResolvers<string>();
    const running = [1, 2, 3].map(() => call('ana', first.promise));
    expect(await call('ana', Promise.resolve('x')).result).toBe('busy');
    expect(await call('ion', Promise.resolve('x')).result).toBe('x');
    first.resolve('done');
    expect(await Promise.all(running.map(({ result }) => result))).toEqual(Array(3).fill('done'));
    expect(await call('ana', Promise.resolve('x')).result).toBe('x');
    expect(started).toEqual(['ana', 'ana', 'ana', 'ion', 'ana']);
  });

  it('refuses a second action of a caller, which could send the same dead letters', async () => {
    const { call, started } = startCalls();
    const first = Promise.withResolvers<string>();
    const running = call('ana', first.promise, 'action');
    expect(await call('ana', Promise.resolve('x'), 'action').result).toBe('busy');
    expect(await call('ana', Promise.resolve('x')).result).toBe('x');
    first.resolve('done');
    expect(await running.result).toBe('done');
    expect(await call('ana', Promise.resolve('x'), 'action').result).toBe('x');
    expect(started).toHaveLength(3);
  });

  it('runs at most six calls at a time, also after one that failed', async () => {
    const { call } = startCalls();
    const end = Promise.withResolvers<string>();
    const running = ['a', 'b', 'c', 'd', 'e', 'f'].map((caller) => call(caller, end.promise));
    expect(await call('g', Promise.resolve('x')).result).toBe('full');
    end.reject(new Error('no broker'));
    for (const { result } of running) await expect(result).rejects.toThrow('no broker');
    expect(await call('g', Promise.resolve('x')).result).toBe('x');
  });

  it('aborts a call at the end of its time, and when its caller disconnects', async () => {
    const { call, timers } = startCalls();
    const late = call('ana', untilAborted);
    expect(timers[0]?.afterMs).toBe(10_000);
    timers[0]?.callback();
    expect(await late.result).toBe('aborted');
    const left = call('ion', untilAborted);
    left.request.abandoned?.();
    expect(await left.result).toBe('aborted');
  });

  it('answers a caller although the broker does not, and keeps the place of the call until it does', async () => {
    const { call, timers } = startCalls();
    const broker = Promise.withResolvers<string>();
    const stuck = call('a', broker.promise, 'action');
    timers[1]?.callback();
    expect(await stuck.result).toBe('late');
    expect(await call('a', Promise.resolve('x'), 'action').result).toBe('busy');
    broker.reject(new Error('no broker'));
    await expect.poll(() => call('a', Promise.resolve('x'), 'action').result).toBe('x');
  });
});
