import { expect, it } from 'vitest';
import { RepeatedFailure, type Log } from '../../../shared/platform/log.ts';

function createScene() {
  const lines: string[] = [];
  let nowMs = 0;
  const write = (level: string) => (fields: object, text: string) =>
    lines.push(`${nowMs / 1_000} ${level} ${text} ${JSON.stringify(fields)}`);
  const log = { warn: write('warn'), info: write('info') } as unknown as Log;
  const failure = new RepeatedFailure(log, { elapsedMs: () => nowMs });
  return {
    lines,
    failedAt: (seconds: number) => {
      nowMs = seconds * 1_000;
      failure.failed({ a: 1 }, 'away');
    },
    ended: () => failure.ended({ a: 1 }, 'back'),
  };
}

it('logs the beginning and the end of a failure, and one line a minute with the number of failures', () => {
  const { lines, failedAt, ended } = createScene();
  ended();
  for (let second = 0; second <= 130; second += 1) failedAt(second);
  ended();
  ended();
  expect(lines).toEqual([
    '0 warn away {"a":1,"failures":1}',
    '60 warn away {"a":1,"failures":60}',
    '120 warn away {"a":1,"failures":60}',
    '130 info back {"a":1}',
  ]);
});

it('logs the next failure at once, unless it begins within ten seconds', () => {
  const { lines, failedAt, ended } = createScene();
  for (let second = 0; second < 9; second += 1) {
    failedAt(second);
    ended();
  }
  expect(lines).toHaveLength(2);
  failedAt(20);
  expect(lines.at(-1)).toBe('20 warn away {"a":1,"failures":1}');
});
