import { expect, it } from 'vitest';
import { KafkaTail } from '../../../../shared/messaging/kafka/kafka-tail.ts';
import type { FetchClient, FetchedRecords } from '../../../../shared/messaging/kafka/partition-fetcher.ts';
import type { TailOptions } from '../../../../shared/messaging/ports.ts';
import type { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { fakeMessages } from '../../../support/fakes/messages.ts';
import { pass, stopTime } from '../../../support/fakes/passing-time.ts';

stopTime();

/** A tail of topic `t`, with the records 2 to 4. The test chooses the leaders and answers the last fetch. */
function startTail(options: Partial<TailOptions> = {}, leaders = [0, 0]) {
  const asked: (PromiseWithResolvers<readonly FetchedRecords[]> & { readonly text: string })[] = [];
  const state = { queries: 0, end: 5 };
  const [read, ends]: string[][] = [[], []];
  const client: FetchClient = {
    leaders: async () => {
      state.queries += 1;
      return new Map([['t', [...leaders]]]);
    },
    fetch: (node, partitions, maxWaitMs) => {
      const positions = partitions.map(({ partition, offset }) => `${partition}@${offset}`).join(' ');
      asked.push({ text: `${node}: ${positions}, ${maxWaitMs} ms`, ...Promise.withResolvers() });
      return asked.at(-1)!.promise;
    },
    earliest: async () => 3,
    destroy: () => void ends.push('closed'),
  };
  const offsets = async () => leaders.map((_, partition) => ({ partition, low: 2, high: state.end }));
  const onStopped = (): void => void ends.push('left');
  const parts = { createFetchClient: () => client, admin: { offsets }, log: silentLog, onStopped };
  const tail = new KafkaTail({ clientId: 'c', topics: ['t'], from: 'earliest', ...options }, parts);
  const note = (work: Promise<void>, name = 'done'): void =>
    void work.catch(({ code }: MessagingError) => code).then((code = name) => ends.push(code));
  const start = (): Promise<void> =>
    tail.start(({ partition, offset }) => {
      if (offset === 3) throw new Error('a bug');
      read.push(`${partition}@${offset}`);
    });
  note(start(), 'started');
  /** Returns the next fetch, as `0: 0@5 1@7, 2000 ms`: node, positions by partition, and the longest wait. */
  const after = async (ms = 0): Promise<string | undefined> => {
    await pass(ms);
    return asked.at(-1)?.text;
  };
  const answer = (...given: readonly FetchedRecords[]): ReturnType<typeof after> => {
    asked.at(-1)?.resolve(given);
    return after();
  };
  return { tail, asked, state, leaders, read, ends, note, start, after, answer };
}

function records(partition: number, from: number, count = 0, more: Partial<FetchedRecords> = {}) {
  const place = { topic: 't', partition };
  const messages = count === 0 ? [] : fakeMessages(from, from + count - 1, place);
  const position = from + count;
  return { ...place, from, position, readTo: position, messages, stableEnd: 9, error: undefined, ...more };
}

it('a Kafka tail starts when each partition was answered, is fair, and reads partitions that are added', async () => {
  const positions = [{ topic: 't', partition: 0, offset: 2 }];
  const { tail, leaders, read, ends, answer, after, start, note } = startTail({ positions });
  expect(await after()).toBe('0: 0@2 1@2, 0 ms');
  expect(await answer(records(0, 2, 0, { error: 'OFFSET_OUT_OF_RANGE' }))).toBe('0: 0@3, 0 ms');
  expect([await answer(records(0, 3, 2)), tail.isReady()]).toEqual(['0: 0@5, 2000 ms', false]);
  await after(250);
  expect([await answer(records(0, 5)), ends]).toEqual(['0: 1@2 0@5, 0 ms', []]);
  expect(await answer(records(1, 2, 1), records(0, 5, 1))).toBe('0: 1@3 0@6, 2000 ms');
  note(start());
  leaders.push(0);
  await after(3_000);
  expect([tail.isReady(), ends, read]).toEqual([false, ['started', 'tail-stopped'], ['0@4', '1@2', '0@5']]);
  expect(await answer()).toBe('0: 2@0, 0 ms');
});

it('a Kafka tail has caught up when it has passed the ends, and says if it is late or stopped', async () => {
  const { tail, ends, answer, after, note, state } = startTail();
  await after(14_999);
  await answer(records(0, 2), records(1, 2));
  note(tail.caughtUp(1_000));
  await answer(records(0, 2, 3), records(1, 2, 2));
  expect(ends).toEqual(['started']);
  await answer(records(0, 5), records(1, 4, 0, { readTo: 5 }));
  note(tail.caughtUp(0));
  await after();
  state.end = 6;
  note(tail.caughtUp(1_000));
  await after(999);
  expect(ends.splice(0)).toEqual(['started', 'done', 'done']);
  await after(1);
  note(tail.caughtUp(1_000));
  await after();
  for (const stop of [tail.stop(), tail.stop()]) note(stop, 'stopped');
  note(tail.caughtUp(1_000));
  const silent = startTail();
  await pass(15_000);
  const expected = ['closed', 'left', 'stopped', 'stopped', 'tail-behind', 'tail-stopped', 'tail-stopped'];
  expect([ends.toSorted(), silent.ends]).toEqual([expected, ['broker-unavailable']]);
});

it('a Kafka tail follows leaders that move, and asks for them more often while there is none', async () => {
  const { tail, answer, after, leaders, state, asked } = startTail({ from: 'latest' }, [0, 1]);
  expect(await after()).toBe('1: 1@5, 0 ms');
  await answer(records(1, 5, 0, { error: 'NOT_LEADER_OR_FOLLOWER' }));
  leaders[1] = 0;
  await after(250);
  asked[0]?.resolve([records(0, 5, 1)]);
  expect(await after()).toBe('0: 1@5 0@6, 0 ms');
  await answer(records(1, 5), records(0, 6));
  expect([tail.isReady(), await after(6_000), state.queries]).toEqual([true, '0: 1@5 0@6, 2000 ms', 4]);
  leaders[0] = -1;
  await after(4_000);
  expect([tail.isReady(), state.queries]).toEqual([false, 9]);
  asked.at(-1)?.reject(new Error('reset'));
  leaders[0] = 1;
  await after(250);
  const [one, other] = asked.slice(-2);
  expect([one?.text, other?.text]).toEqual(['0: 1@5, 0 ms', '1: 0@6, 0 ms']);
});
