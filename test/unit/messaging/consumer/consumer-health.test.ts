import { expect, test } from 'vitest';
import {
  OffsetTracker,
  createWork,
  finishWork,
  type Work,
} from '../../../../shared/messaging/consumer/offset-tracker.ts';
import { StallDetector } from '../../../../shared/messaging/consumer/consumer-health.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const STALL_MS = 60_000;

/** A partition with one delivered message, first checked at time 0. */
function createScene() {
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const work = createWork(fakeMessage(0), tracker, 0);
  tracker.add(work);
  tracker.highWatermark = 1;
  const detector = new StallDetector(STALL_MS);
  const check = (ended: number, nowMs: number) => detector.check([tracker], ended, nowMs).status;
  check(0, 0);
  return { work, tracker, check };
}

const start = (work: Work, state: 'running' | 'held'): void => {
  work.state = state;
  work.attempts += 1;
};

test('is ready while the first message is queued and other messages end', () => {
  const { check } = createScene();
  for (let second = 1; second <= 300; second += 1) {
    expect(check(Math.floor(second / 50), second * 1_000)).toBe('ready');
  }
});

test('is unhealthy if no message has ended for the stall time', () => {
  const { check } = createScene();
  expect(check(1, 100_000)).toBe('ready');
  expect(check(1, 100_000 + STALL_MS - 1)).toBe('ready');
  expect(check(1, 100_000 + STALL_MS)).toBe('unhealthy');
});

test('is unhealthy if no message was ever started', () => {
  const { check } = createScene();
  expect(check(0, STALL_MS)).toBe('unhealthy');
});

test('is unhealthy if the first message runs for the stall time, although other messages end', () => {
  const { work, check } = createScene();
  start(work, 'running');
  expect(check(10, STALL_MS - 1)).toBe('ready');
  expect(check(20, STALL_MS)).toBe('unhealthy');
});

test('is ready while the first message runs and counts steps', () => {
  const { work, check } = createScene();
  start(work, 'running');
  for (let times = 1; times <= 10; times += 1) {
    work.steps += 1;
    expect(check(0, times * (STALL_MS - 1))).toBe('ready');
  }
  expect(check(0, 10 * (STALL_MS - 1) + STALL_MS)).toBe('unhealthy');
});

test('is degraded while the first message is held for another attempt, although no other message ends', () => {
  const { work, check } = createScene();
  start(work, 'held');
  expect(check(0, STALL_MS - 1)).toBe('ready');
  expect(check(0, STALL_MS)).toBe('degraded');
  expect(check(0, 10 * STALL_MS)).toBe('degraded');
});

test('is degraded while the first message is attempted again and again', () => {
  const { work, check } = createScene();
  for (let seconds = 15; seconds <= 300; seconds += 15) {
    start(work, 'running');
    expect(check(0, seconds * 1_000)).toBe(seconds < 60 ? 'ready' : 'degraded');
    work.state = 'held';
    check(0, seconds * 1_000 + 500);
  }
});

test('is unhealthy if the next attempt of the first message never starts and no other message ends', () => {
  const { work, check } = createScene();
  start(work, 'held');
  work.state = 'queued';
  expect(check(10, STALL_MS - 1)).toBe('ready');
  expect(check(20, 2 * STALL_MS)).toBe('degraded');
  expect(check(20, 3 * STALL_MS)).toBe('unhealthy');
});

test('measures the stall time of a message from its start', () => {
  const { work, tracker, check } = createScene();
  expect(check(5, 200_000)).toBe('ready');
  start(work, 'running');
  expect(check(6, 200_000 + STALL_MS - 1)).toBe('ready');
  expect(check(7, 200_000 + STALL_MS)).toBe('unhealthy');
  finishWork(work);
  tracker.advance();
  expect(check(8, 200_000 + STALL_MS + 1)).toBe('ready');
});

test('reports an unhealthy partition before a degraded one', () => {
  const [stuck, silent] = [createScene(), createScene()];
  start(stuck.work, 'running');
  finishWork(silent.work);
  silent.tracker.advance();
  silent.tracker.highWatermark = 2;
  const detector = new StallDetector(STALL_MS);
  const check = (nowMs: number) => detector.check([stuck.tracker, silent.tracker], 0, nowMs);
  check(0);
  expect(check(STALL_MS).status).toBe('unhealthy');
});

test('measures no stall over a time without messages', () => {
  const { work, tracker, check } = createScene();
  finishWork(work);
  tracker.advance();
  expect(check(1, 1_000)).toBe('ready');
  const next = createWork(fakeMessage(1), tracker, 0);
  tracker.add(next);
  tracker.highWatermark = 2;
  expect(check(1, 10 * STALL_MS)).toBe('ready');
  expect(check(1, 11 * STALL_MS)).toBe('unhealthy');
});
