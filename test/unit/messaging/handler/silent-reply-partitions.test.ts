import { expect, test } from 'vitest';
import { SilentPartitions } from '../../../../shared/messaging/handler/silent-reply-partitions.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const TEN_MINUTES_MS = 600_000;
/** The time for which requests beyond the first 500 also wait. */
const MAX_CROWDED_MS = 30_000;

function createScene() {
  let nowMs = 0;
  const silent = new SilentPartitions({ elapsedMs: () => nowMs });
  /** A publish that the partition does not answer within its deadline of three seconds. */
  const timeOut = (id: string, others: 'answer' | 'silent') => {
    const startedMs = nowMs;
    nowMs += 1_500;
    if (others === 'answer') silent.answered('healthy/0');
    nowMs += 1_500;
    silent.silent(id, startedMs);
  };
  const admit = (id: string, offset = 0, partition = 0) =>
    silent.admit(id, fakeMessage(offset, { partition }));
  return { silent, timeOut, admit, advance: (ms: number) => (nowMs += ms) };
}

test('sends replies to a partition that has not failed', () => {
  const { admit, silent } = createScene();
  expect([admit('replies/0'), silent.isEmpty]).toEqual(['send', true]);
});

test('probes each silent partition with one request, and at most two partitions at a time', () => {
  const { admit, timeOut, silent } = createScene();
  for (const id of ['a/0', 'a/1', 'b/0']) timeOut(id, 'answer');
  expect(['a/0', 'a/0', 'a/1', 'b/0'].map((id) => admit(id))).toEqual(['probe', 'wait', 'probe', 'wait']);
  silent.probeEnded('a/0');
  expect(admit('b/0')).toBe('probe');
  expect(admit('a/2')).toBe('send');
});

test('sends replies again once the partition has answered, also during a probe', () => {
  const { admit, timeOut, silent } = createScene();
  timeOut('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  silent.answered('a/0');
  silent.probeEnded('a/0');
  expect([admit('a/0'), silent.isEmpty]).toEqual(['send', true]);
  timeOut('a/0', 'answer');
  timeOut('a/1', 'answer');
  expect([admit('a/0'), admit('a/1')]).toEqual(['probe', 'probe']);
});

test('abandons requests after ten minutes of silence while others answer, and continues probing', () => {
  const { admit, timeOut, silent, advance } = createScene();
  timeOut('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  timeOut('a/0', 'answer');
  advance(TEN_MINUTES_MS - 3_001);
  expect(admit('a/0', 1)).toBe('wait');
  advance(1);
  expect(admit('a/0', 1)).toBe('give-up');
  silent.probeEnded('a/0');
  expect(admit('a/0', 2)).toBe('probe');
});

test('does not abandon requests while no other partition answers', () => {
  const { admit, timeOut, advance } = createScene();
  timeOut('a/0', 'answer');
  advance(TEN_MINUTES_MS);
  timeOut('a/0', 'silent');
  expect(admit('a/0', 1)).toBe('probe');
  expect(admit('a/0', 1)).toBe('wait');
  timeOut('a/0', 'answer');
  advance(TEN_MINUTES_MS - 1);
  expect(admit('a/0', 1)).toBe('wait');
});

test('does not abandon requests within 30 seconds, whatever their number', () => {
  const { admit, timeOut, advance } = createScene();
  timeOut('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  for (let offset = 0; offset < 1_000; offset += 1) expect(admit('a/0', offset)).toBe('wait');
  advance(MAX_CROWDED_MS - 1);
  expect(admit('a/0', 999)).toBe('wait');
});

test('keeps 500 requests of each request partition waiting after 30 seconds, and abandons any others', () => {
  const { admit, timeOut, advance } = createScene();
  for (const id of ['a/0', 'b/0']) timeOut(id, 'answer');
  expect([admit('a/0'), admit('b/0')]).toEqual(['probe', 'probe']);
  for (let offset = 0; offset < 250; offset += 1) {
    expect([admit('a/0', offset), admit('b/0', 1_000 + offset)]).toEqual(['wait', 'wait']);
  }
  expect([admit('a/0', 501), admit('b/0', 1_501)]).toEqual(['wait', 'wait']);
  advance(MAX_CROWDED_MS);
  expect([admit('a/0', 501), admit('b/0', 1_501), admit('b/0', 1_502)]).toEqual(
    Array.from({ length: 3 }, () => 'give-up'),
  );
  expect([admit('a/0', 100), admit('b/0', 1_100)]).toEqual(['wait', 'wait']);
  expect(admit('a/0', 501, 1)).toBe('wait');
});

test('keeps the place of a redelivered request', () => {
  const { admit, timeOut, advance } = createScene();
  timeOut('a/0', 'answer');
  admit('a/0');
  for (let round = 0; round < 3; round += 1) {
    for (let offset = 0; offset < 500; offset += 1) admit('a/0', offset);
  }
  advance(MAX_CROWDED_MS);
  expect(admit('a/0', 499)).toBe('wait');
});

test('keeps any number of requests waiting while every partition is silent', () => {
  const { admit, timeOut } = createScene();
  timeOut('a/0', 'silent');
  expect(admit('a/0')).toBe('probe');
  for (let offset = 0; offset < 1_000; offset += 1) expect(admit('a/0', offset)).toBe('wait');
});

test('reuses the places of requests that have stopped waiting', () => {
  const { admit, timeOut, advance } = createScene();
  for (const id of ['a/0', 'b/0']) timeOut(id, 'answer');
  admit('a/0');
  admit('b/0');
  for (let offset = 0; offset < 500; offset += 1) admit('a/0', offset);
  advance(59_999);
  expect(admit('b/0', 501)).toBe('give-up');
  advance(1);
  expect(admit('b/0', 502)).toBe('wait');
});
