import { describe, expect, it } from 'vitest';
import { KafkaTail } from '../../../../shared/messaging/kafka/kafka-tail.ts';
import type { FetchClient, FetchedRecords } from '../../../../shared/messaging/kafka/partition-fetcher.ts';
import { readRanges } from '../../../../shared/messaging/kafka/read-ranges.ts';
import type { ReadOn, TailOptions } from '../../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { fakeMessages } from '../../../support/fakes/messages.ts';
import { pass, stopTime } from '../../../support/fakes/passing-time.ts';

stopTime();

/** A fetch: node, positions by partition, and the longest wait, as `0: 0@5 1@7, 2000 ms`. */
type Asked = PromiseWithResolvers<readonly FetchedRecords[]> & { readonly text: string };

/** Partitions of topic `t` with the records 2 to 4. The test chooses their leaders and answers each fetch. */
function cluster(leaders: number[] = [0, 0]) {
  const asked: Asked[] = [];
  const state = { queries: 0, open: 0, earliest: 2, end: 5, failure: undefined as Error | undefined };
  const createFetchClient = (): FetchClient => {
    state.open += 1;
    return {
      leaders: async () => {
        state.queries += 1;
        return new Map([['t', [...leaders]]]);
      },
      fetch: (node, partitions, maxWaitMs) => {
        const positions = partitions.map(({ partition, offset }) => `${partition}@${offset}`).join(' ');
        const text = `${node}: ${positions}, ${maxWaitMs} ms`;
        asked.push({ text, ...Promise.withResolvers<readonly FetchedRecords[]>() });
        return asked.at(-1)!.promise;
      },
      earliest: async () => state.earliest,
      destroy: () => void (state.open -= 1),
    };
  };
  const admin = {
    offsets: async () => {
      if (state.failure !== undefined) throw state.failure;
      return leaders.map((_, partition) => ({ partition, low: 2, high: state.end }));
    },
    partitionCounts: async () => new Map([['t', leaders.length]]),
  };
  const answer = async (...given: readonly FetchedRecords[]): Promise<void> => {
    asked.at(-1)?.resolve(given);
    await pass();
  };
  return { asked, state, leaders, createFetchClient, admin, answer, last: () => asked.at(-1)?.text };
}

/** Records of a partition from an offset on. */
function records(partition: number, from: number, count = 0, more: Partial<FetchedRecords> = {}) {
  const place = { topic: 't', partition };
  const messages = count === 0 ? [] : fakeMessages(from, from + count - 1, place);
  const position = from + count;
  return { ...place, from, position, readTo: position, messages, stableEnd: 9, error: undefined, ...more };
}

const NO_RECORD = { error: 'OFFSET_OUT_OF_RANGE' };
const textOf = ({ partition, offset }: LogMessage): string => `${partition}@${offset}`;

function startTail(options: Partial<TailOptions> = {}, leaders?: number[], skips: readonly string[] = []) {
  const scene = cluster(leaders);
  const lines: unknown[] = [];
  const log = { ...silentLog, warn: (fields: object, text?: string) => void lines.push({ ...fields, text }) };
  const stopped: unknown[] = [];
  const parts = { ...scene, log, onStopped: (one: unknown) => void stopped.push(one) };
  const tail = new KafkaTail({ clientId: 'c', topics: ['t'], from: 'earliest', ...options }, parts);
  const read: string[] = [];
  const ends: string[] = [];
  const note = (name: string, work: Promise<void>): void =>
    void work.then(
      () => ends.push(name),
      (error: MessagingError) => ends.push(`${name}: ${error.code}`),
    );
  const start = () =>
    tail.start((message) => {
      if (skips.includes(textOf(message))) throw new Error('a bug');
      read.push(textOf(message));
    });
  note('start', start());
  return { ...scene, tail, read, ends, note, start, lines, stopped };
}

describe('a tail', () => {
  it('starts when each partition was answered, and asks last for the one that had records', async () => {
    const { tail, read, ends, answer, last, start, note, state } = startTail();
    await pass();
    expect([last(), tail.isReady()]).toEqual(['0: 0@2 1@2, 0 ms', false]);
    await answer(records(0, 2, 2));
    expect([last(), tail.isReady(), ends]).toEqual(['0: 0@4, 2000 ms', false, []]);
    await pass(250);
    await answer(records(0, 4));
    expect([last(), state.queries]).toEqual(['0: 1@2 0@4, 0 ms', 2]);
    await answer(records(1, 2, 1), records(0, 4, 1));
    expect([last(), tail.isReady(), ends]).toEqual(['0: 1@3 0@5, 2000 ms', true, ['start']]);
    expect(read).toEqual(['0@2', '0@3', '1@2', '0@4']);
    note('again', start());
    await pass();
    expect(ends.at(-1)).toBe('again: tail-stopped');
  });

  it('has caught up when it has passed the ends, and says if it was late or stopped', async () => {
    const { tail, ends, answer, note, state, stopped } = startTail();
    await pass();
    await answer(records(0, 2), records(1, 2));
    note('caught up', tail.caughtUp(1_000));
    await answer(records(0, 2, 3), records(1, 2, 2));
    expect(ends).toEqual(['start']);
    await answer(records(0, 5), records(1, 4, 0, { readTo: 5 }));
    note('at once', tail.caughtUp(0));
    await pass();
    expect(ends.splice(0)).toEqual(['start', 'caught up', 'at once']);
    state.end = 6;
    note('late', tail.caughtUp(1_000));
    await pass(999);
    expect(ends).toEqual([]);
    await pass(1);
    for (const canRetry of [true, false]) {
      state.failure = new MessagingError('broker-refused', 'no', { canRetry });
      note('failed', tail.caughtUp(1_000));
      await pass(1_000);
    }
    state.failure = undefined;
    note('waiting', tail.caughtUp(1_000));
    await pass();
    await Promise.all([tail.stop(), tail.stop()]);
    await pass();
    note('stopped', tail.caughtUp(1_000));
    await pass();
    const expected = [
      'late: tail-behind',
      'failed: tail-behind',
      'failed: broker-refused',
      'waiting: tail-stopped',
    ];
    expect(ends).toEqual([...expected, 'stopped: tail-stopped']);
    expect([state.open, stopped, tail.isReady()]).toEqual([0, [tail], false]);
  });

  it('follows leaders that move, and asks for them more often while there is none', async () => {
    const { tail, answer, last, leaders, state, asked, lines } = startTail({}, [0, 1]);
    await pass();
    expect(asked.map(({ text }) => text)).toEqual(['0: 0@2, 0 ms', '1: 1@2, 0 ms']);
    await answer(records(1, 2, 0, { error: 'NOT_LEADER_OR_FOLLOWER' }));
    leaders[1] = 0;
    asked[0]?.resolve([records(0, 2, 1)]);
    await pass();
    await pass(250);
    await answer(records(0, 3));
    expect(last()).toBe('0: 1@2 0@3, 0 ms');
    await answer(records(1, 2), records(0, 3));
    expect(tail.isReady()).toBe(true);
    const before = state.queries;
    await pass(6_000);
    expect(state.queries - before).toBe(2);
    leaders[0] = -1;
    await pass(4_000);
    expect([tail.isReady(), state.queries - before]).toEqual([false, 7]);
    leaders[0] = 1;
    await pass(250);
    await answer(records(1, 2), records(0, 3));
    await pass(3_000);
    expect([last(), tail.isReady()]).toEqual(['1: 0@3, 2000 ms', true]);
    asked.at(-1)?.reject(new Error('reset'));
    await pass();
    expect([tail.isReady(), lines]).toEqual([false, [expect.objectContaining({ text: 'a fetch failed' })]]);
    await pass(250);
    expect(last()).toBe('1: 0@3, 0 ms');
  });

  it('continues at the first record if its position has none, and reads partitions that are added', async () => {
    const positions = [{ topic: 't', partition: 0, offset: 3 }];
    const { answer, last, leaders, state } = startTail({ positions });
    await pass();
    expect(last()).toBe('0: 0@3 1@2, 0 ms');
    state.earliest = 4;
    await answer(records(0, 3, 0, NO_RECORD), records(1, 2));
    expect(last()).toBe('0: 0@4 1@2, 0 ms');
    await answer(records(0, 4, 0, NO_RECORD), records(1, 2));
    expect(last()).toBe('0: 1@2, 2000 ms');
    leaders.push(0);
    await pass(250);
    await answer(records(1, 2));
    expect(last()).toBe('0: 0@4 1@2 2@0, 0 ms');
  });

  it('reads one partition if told so, skips what its handler rejects, and needs a topic with it', async () => {
    const { answer, last, leaders, read, lines } = startTail({ partition: 1 }, [0, 0], ['1@2', '1@3']);
    await pass();
    leaders.push(0);
    await answer(records(1, 2, 3));
    await pass(3_000);
    await answer(records(1, 5));
    expect([last(), read]).toEqual(['0: 1@5, 2000 ms', ['1@4']]);
    const text = 'message skipped: its handler failed';
    expect(lines).toMatchObject([1, 2].map((skipped) => ({ text, skipped, offset: skipped + 1 })));
    const { ends } = startTail({ partition: 2 });
    await pass();
    expect(ends).toEqual(['start: topic-unknown']);
  });

  it('does not start if a leader is silent for 15 s, or when it is stopped', async () => {
    const silent = startTail();
    await pass(14_999);
    expect(silent.ends).toEqual([]);
    await pass(1);
    const { tail, ends, state } = startTail();
    await tail.stop();
    await pass();
    expect([silent.ends, ends, state.open]).toEqual([
      ['start: broker-unavailable'],
      ['start: tail-stopped'],
      0,
    ]);
  });
});

function startReading(...ranges: readonly (readonly [partition: number, from: number, to: number])[]) {
  const scene = cluster();
  const read: string[] = [];
  const wanted = ranges.map(([partition, from, to]) => ({ topic: 't', partition, from, to }));
  const onRead = (message: LogMessage): ReadOn => (read.push(textOf(message)) === 3 ? 'stop' : 'more');
  const reading = readRanges(wanted, onRead, { ...scene, clientId: 'c' });
  const ended = reading.catch((error: MessagingError) => error.code);
  return { ...scene, read, ended };
}

describe('readRanges', () => {
  it('reads each range up to its end, or until the reader stops', async () => {
    const { answer, last, asked, state, read, ended } = startReading(
      [0, 2, 4],
      [0, 3, 3],
      [1, 2, 9],
      [0, 2, 4],
    );
    await pass();
    expect(last()).toBe('0: 0@2, 1000 ms');
    await answer(records(0, 2, 3));
    state.earliest = 3;
    await answer(records(1, 2, 0, NO_RECORD));
    expect(last()).toBe('0: 1@3, 1000 ms');
    await answer(records(1, 3, 0, { readTo: 4 }));
    await answer(records(1, 4, 2));
    expect([await ended, read, asked.length, state.open]).toEqual([undefined, ['0@2', '0@3', '1@4'], 4, 0]);
  });

  it('fails after 30 s without progress, and not before', async () => {
    const { answer, last, state, ended } = startReading([0, 2, 4]);
    await pass(29_000);
    await answer(records(0, 2, 1));
    await pass(29_999);
    await answer(records(0, 3));
    expect(last()).toBe('0: 0@3, 1000 ms');
    await pass(1);
    await answer(records(0, 3));
    expect([await ended, state.open]).toEqual(['broker-unavailable', 0]);
  });
});
