import { expect, test } from 'vitest';
import { workWhenIdle } from '../../../workers/runtime/idle-work.ts';

/** An event loop in which each timer fires late by these milliseconds, in turn. */
function run(latenesses: readonly number[], steps: readonly (() => void)[]) {
  const waits: number[] = [];
  const errors: unknown[] = [];
  const late = [...latenesses];
  let nowMs = 0;
  let next: (() => void) | undefined;
  workWhenIdle({
    steps,
    monotonic: { elapsedMs: () => nowMs },
    timers: {
      schedule: (callback, afterMs, kind) => {
        expect(kind).toBe('background');
        waits.push(afterMs);
        next = () => {
          nowMs += afterMs + (late.shift() ?? 0);
          callback();
        };
        return () => undefined;
      },
      nextTurn: () => undefined,
    },
    onError: (error) => errors.push(error),
  });
  for (let fired = next; fired !== undefined; fired = next) {
    next = undefined;
    fired();
  }
  return { waits, errors };
}

test('runs one step after each pause, the first after half a second', () => {
  const done: string[] = [];
  const { waits } = run([], [() => done.push('a'), () => done.push('b')]);
  expect(done).toEqual(['a', 'b']);
  expect(waits).toEqual([500, 20, 20]);
});

test('waits again while the event loop is busy', () => {
  const done: number[] = [];
  const { waits } = run([11, 300, 10], [() => done.push(1)]);
  expect(done).toEqual([1]);
  expect(waits).toEqual([500, 20, 20, 20]);
});

test('continues after a step that throws', () => {
  const done: string[] = [];
  const bug = new Error('a schema is wrong');
  const { errors } = run(
    [],
    [
      () => {
        throw bug;
      },
      () => done.push('b'),
    ],
  );
  expect(errors).toEqual([bug]);
  expect(done).toEqual(['b']);
});
