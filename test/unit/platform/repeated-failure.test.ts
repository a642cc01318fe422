import { expect, test } from 'vitest';
import { RepeatedFailure, type Log } from '../../../shared/platform/log.ts';

function createScene() {
  const lines: string[] = [];
  let nowMs = 0;
  const write = (level: string) => (fields: object, text: string) =>
    lines.push(`${nowMs / 1_000} ${level} ${text} ${JSON.stringify(fields)}`);
  const log = { warn: write('warn'), info: write('info') } as unknown as Log;
  const failure = new RepeatedFailure(log, { elapsedMs: () => nowMs });
  const at = (seconds: number) => {
    nowMs = seconds * 1_000;
  };
  return {
    lines,
    at,
    failed: () => failure.failed({ a: 1 }, 'away'),
    ended: () => failure.ended({ a: 1 }, 'back'),
  };
}

test('logs the beginning and the end of a failure, and one line a minute with the number of failures', () => {
  const { lines, at, failed, ended } = createScene();
  ended();
  for (let second = 0; second < 130; second += 1) {
    at(second);
    failed();
  }
  at(130);
  ended();
  ended();
  expect(lines).toEqual([
    '0 warn away {"a":1,"failures":1}',
    '60 warn away {"a":1,"failures":60}',
    '120 warn away {"a":1,"failures":60}',
    '130 info back {"a":1}',
  ]);
});

test('logs the next failure at once, unless it begins within ten seconds', () => {
  const { lines, at, failed, ended } = createScene();
  for (let second = 0; second < 9; second += 1) {
    at(second);
    failed();
    ended();
  }
  expect(lines).toHaveLength(2);
  at(20);
  failed();
  expect(lines.at(-1)).toBe('20 warn away {"a":1,"failures":1}');
});
