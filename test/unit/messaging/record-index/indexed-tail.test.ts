import { expect, it, onTestFinished, vi } from 'vitest';
import { IndexedTail } from '../../../../shared/messaging/record-index/indexed-tail.ts';
import type { Broker, Tail } from '../../../../shared/messaging/ports.ts';
import type { RecordIndex } from '../../../../shared/messaging/record-index/record-index.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

/** A loop without a pause would look this often within microseconds, and hold the event loop for good. */
const MOST_LOOKS = 1_000;

/** A tail whose index takes no records, as with a full disk, from the first one on. */
function heldTail() {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks > MOST_LOOKS) throw new Error('the start looks without a pause');
  };
  const index = {
    positions: [],
    accepts: () => false,
    onRecovered: () => undefined,
    close: () => undefined,
  } as unknown as RecordIndex;
  const tail: Tail = {
    start: (receive) => {
      receive(fakeMessage(0));
      return Promise.resolve();
    },
    caughtUp: () => Promise.resolve(),
    isReady: () => true,
    stop: () => Promise.resolve(),
  };
  const broker = {
    createTail: () => tail,
    admin: { offsets: () => Promise.resolve([]) },
  } as unknown as Broker;
  const log = { ...silentLog, info: look };
  const options = { ...systemPorts, clientId: 'test', topics: ['states'], index, log };
  return { tail: new IndexedTail(broker, options, () => undefined), looks: () => looks };
}

it('a start pauses between its looks while the index takes no records, and fails after a minute', async () => {
  const { tail, looks } = heldTail();
  const started = tail.start().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(62_000);
  await expect(started).resolves.toMatchObject({ code: 'tail-behind' });
  expect(looks()).toBeLessThan(65);
});

it('a start ends when the tail is stopped while the index takes no records', async () => {
  const { tail } = heldTail();
  const started = tail.start().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5_000);
  await tail.stop(0);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(started).resolves.toMatchObject({ code: 'tail-stopped' });
});
