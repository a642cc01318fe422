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
function startTail(options: Partial<TailOptions> = {}) {
  const leaders = [0, 0];
  const asked: (PromiseWithResolvers<readonly FetchedRecords[]> & { readonly text: string })[] = [];
  const [read, ends] = [[], []] as [string[], string[]];
  const queries = { count: 0, answer: Promise.resolve() };
  const client: FetchClient = {
    leaders: () => {
      queries.count += 1;
      return queries.answer.then(() => new Map([['t', [...leaders]]]));
    },
    fetch: (node, partitions, maxWaitMs) => {
      const positions = partitions.map(({ partition, offset }) => `${partition}@${offset}`).join(' ');
      asked.push({ text: `${node}: ${positions}, ${maxWaitMs} ms`, ...Promise.withResolvers() });
      return asked.at(-1)!.promise;
    },
    earliest: async () => 3,
    destroy: () => void ends.push('closed'),
  };
  const offsets = async () => leaders.map((_, partition) => ({ partition, low: 2, high: 5 }));
  const parts = {
    createFetchClient: () => client,
    admin: { offsets },
    log: silentLog,
    onStopped: () => undefined,
  };
  const tail = new KafkaTail({ clientId: 'c', topics: ['t'], from: 'earliest', ...options }, parts);
  const note = (work: Promise<void>, name = 'done'): void =>
    void work.catch(({ code }: MessagingError) => code).then((code) => ends.push(code ?? name));
  const started = tail.start(({ partition, offset }) => {
    if (offset === 3) throw new Error('a bug');
    read.push(`${partition}@${offset}`);
  });
  note(started, 'started');
  /** Returns the next fetch, as `0: 0@5 1@7, 2000 ms`: node, positions by partition, and the longest wait. */
  const after = async (ms = 0): Promise<string | undefined> => {
    await pass(ms);
    return asked.at(-1)?.text;
  };
  const answer = (...given: readonly FetchedRecords[]): ReturnType<typeof after> => {
    asked.at(-1)?.resolve(given);
    return after();
  };
  return { tail, leaders, queries, read, ends, note, after, answer };
}

function records(partition: number, from: number, count = 0, more: Partial<FetchedRecords> = {}) {
  const place = { topic: 't', partition };
  const position = from + count;
  const messages = fakeMessages(from, position - 1, place);
  return { ...place, from, position, readTo: position, messages, stableEnd: 9, error: undefined, ...more };
}

it('a Kafka tail starts when each partition was answered, is fair, and reads partitions that are added', async () => {
  const positions = [{ topic: 't', partition: 0, offset: 2 }];
  const { tail, leaders, queries, read, ends, answer, after, note } = startTail({ positions });
  expect(await after()).toBe('0: 0@2 1@2, 0 ms');
  expect(await answer(records(0, 2, 0, { error: 'OFFSET_OUT_OF_RANGE' }))).toBe('0: 0@3, 0 ms');
  expect([await answer(records(0, 3, 2)), tail.isReady()]).toEqual(['0: 0@5, 2000 ms', false]);
  await after(250);
  expect([await answer(records(0, 5)), ends]).toEqual(['0: 1@2 0@5, 0 ms', []]);
  expect(await answer(records(1, 2, 1), records(0, 5, 1))).toBe('0: 1@3 0@6, 2000 ms');
  note(tail.start(() => undefined));
  leaders.splice(0, 2, 1, -1, 0);
  await after(3_000);
  expect(await answer(records(1, 3), records(0, 6))).toBe('0: 2@0, 0 ms');
  expect(await after(250)).toBe('1: 0@6, 2000 ms');
  expect([tail.isReady(), ends, read]).toEqual([false, ['started', 'tail-stopped'], ['0@4', '1@2', '0@5']]);
  queries.answer = new Promise(() => undefined);
  await after(250);
  const { count } = queries;
  await answer(records(0, 6));
  await after(3_000);
  expect(queries.count).toBe(count);
});

it('a Kafka tail has caught up when it has passed the ends, and says if it is late or stopped', async () => {
  const { tail, ends, answer, after, note } = startTail();
  await after(14_999);
  await answer(records(0, 2), records(1, 2));
  note(tail.caughtUp(1_000));
  await answer(records(0, 2, 3), records(1, 2, 2));
  await after(999);
  expect(ends).toEqual(['started']);
  await after(1);
  note(tail.caughtUp(1_000));
  await after();
  await answer(records(0, 5), records(1, 4, 0, { readTo: 5 }));
  note(tail.caughtUp(0), 'at once');
  await after(1_000);
  await tail.stop();
  note(tail.caughtUp(1_000));
  await after();
  expect(ends).toEqual(['started', 'tail-behind', 'done', 'at once', 'closed', 'tail-stopped']);
});
