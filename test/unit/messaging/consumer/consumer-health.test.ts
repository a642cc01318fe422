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

/** A partition with one delivered message, looked at from time 0 on. */
function createScene() {
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const work = createWork(fakeMessage(0), tracker);
  tracker.add(work);
  tracker.highWatermark = 1;
  const detector = new StallDetector(STALL_MS);
  const look = (ended: number, nowMs: number) => detector.check([tracker], ended, nowMs).status;
  look(0, 0);
  return { work, tracker, look };
}

const begin = (work: Work, state: 'running' | 'held'): void => {
  work.state = state;
  work.attempts += 1;
};

test('a partition whose first message waits for its turn is not stalled while messages of others end', () => {
  const { look } = createScene();
  for (let second = 1; second <= 300; second += 1) {
    expect(look(Math.floor(second / 50), second * 1_000)).toBe('ready');
  }
});

test('a partition whose first message waits is stalled since the last message of any other ended', () => {
  const { look } = createScene();
  expect(look(1, 100_000)).toBe('ready');
  expect(look(1, 100_000 + STALL_MS - 1)).toBe('ready');
  expect(look(1, 100_000 + STALL_MS)).toBe('unhealthy');
});

test('a partition where nothing was ever started, nor anywhere else, is stalled', () => {
  const { look } = createScene();
  expect(look(0, STALL_MS)).toBe('unhealthy');
});

test('a partition whose first message is running is stalled however many others end', () => {
  const { work, look } = createScene();
  begin(work, 'running');
  expect(look(10, STALL_MS - 1)).toBe('ready');
  expect(look(20, STALL_MS)).toBe('unhealthy');
});

test.each(['held', 'queued'] as const)(
  'a partition whose first message is %s for another attempt is degraded while others end, and stalled when none does',
  (state) => {
    const { work, look } = createScene();
    begin(work, 'held');
    work.state = state;
    expect(look(10, STALL_MS - 1)).toBe('ready');
    expect(look(20, STALL_MS)).toBe('degraded');
    expect(look(20, 2 * STALL_MS - 1)).toBe('degraded');
    expect(look(20, 2 * STALL_MS)).toBe('unhealthy');
  },
);

test('a message that was begun after a long wait has its own time', () => {
  const { work, tracker, look } = createScene();
  expect(look(5, 200_000)).toBe('ready');
  begin(work, 'running');
  expect(look(6, 200_000 + STALL_MS - 1)).toBe('ready');
  expect(look(7, 200_000 + STALL_MS)).toBe('unhealthy');
  finishWork(work);
  tracker.advance();
  expect(look(8, 200_000 + STALL_MS + 1)).toBe('ready');
});
