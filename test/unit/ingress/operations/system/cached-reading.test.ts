import { expect, it } from 'vitest';
import { MessagingError } from '../../../../../shared/platform/errors.ts';
import { createReading } from '../../../../../workers/ingress/operations/system/cached-reading.ts';
import { virtualTime } from '../../../../support/fakes/virtual-time.ts';

const LIMIT_MS = 3_000;

it('callers share a reading for about a second', async () => {
  const ports = virtualTime();
  let reads = 0;
  const reading = createReading(async () => (reads += 1), ports, LIMIT_MS);
  await Promise.all([reading.refresh(), reading.refresh()]);
  await reading.refresh();
  expect(reads).toBe(1);
  ports.pass(900);
  await reading.refresh();
  expect(reads).toBe(2);
  expect(reading.latest()).toMatchObject({ value: 2, fault: undefined });
});

it('a slow source is read for at most a tenth of the time', async () => {
  const ports = virtualTime();
  let reads = 0;
  const slow = async () => {
    reads += 1;
    ports.pass(500);
  };
  const reading = createReading(slow, ports, LIMIT_MS);
  await reading.refresh();
  ports.pass(4_900);
  await reading.refresh();
  expect(reads).toBe(1);
  ports.pass(100);
  await reading.refresh();
  expect(reads).toBe(2);
});

it('after a failure the last value remains, with the fault and the time of the value', async () => {
  const ports = virtualTime();
  let isBroken = false;
  const read = async () => {
    if (isBroken) throw new Error('connection lost');
    return 'good';
  };
  const reading = createReading(read, ports, LIMIT_MS);
  await reading.refresh();
  const readAtMs = ports.time.wallMs;
  isBroken = true;
  ports.pass(1_000);
  await reading.refresh();
  expect(reading.latest()).toEqual({
    value: 'good',
    fault: { code: 'failed', text: 'connection lost', detail: 'connection lost' },
    readAtMs,
  });
  isBroken = false;
  ports.pass(1_000);
  await reading.refresh();
  expect(reading.latest().fault).toBeUndefined();
});

it('no caller waits longer than the limit, and a pending reading is not started again', async () => {
  const ports = virtualTime();
  let reads = 0;
  const { promise, resolve } = Promise.withResolvers<string>();
  const reading = createReading(
    () => {
      reads += 1;
      return promise;
    },
    ports,
    LIMIT_MS,
  );
  await reading.refresh();
  expect(reading.latest()).toEqual({
    value: undefined,
    fault: { code: 'no-answer', text: 'no answer within 3 s', detail: '3 s' },
    readAtMs: undefined,
  });
  ports.pass(60_000);
  await reading.refresh();
  expect(reads).toBe(1);
  resolve('late');
  await reading.refresh();
  expect(reading.latest()).toMatchObject({ value: 'late', fault: undefined });
});

it.each(['broker-unavailable', 'broker-refused'] as const)(
  'a failure of the broker keeps its code %s',
  async (code) => {
    const ports = virtualTime();
    const read = () => Promise.reject(new MessagingError(code, 'no broker answers', { canRetry: true }));
    const reading = createReading(read, ports, LIMIT_MS);
    await reading.refresh();
    expect(reading.latest().fault).toEqual({ code, text: 'no broker answers' });
  },
);
