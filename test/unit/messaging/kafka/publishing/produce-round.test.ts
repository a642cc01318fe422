import { describe, expect, test } from 'vitest';
import { brokerErrorType } from '../../../../../shared/messaging/kafka/connection/errors.ts';
import {
  type ProduceRequest,
  ProduceRound,
  roundOf,
} from '../../../../../shared/messaging/kafka/publishing/produce-round.ts';
import { PublishCall } from '../../../../../shared/messaging/kafka/publishing/publish-call.ts';
import {
  PublishQueue,
  type PublishSlice,
} from '../../../../../shared/messaging/kafka/publishing/publish-queue.ts';

const NOT_LEADER = 6;

/** A round of one record for each of the partitions of topic `t`; `stored` is what it has told. */
function roundWith(partitions: readonly number[]) {
  const queue = new PublishQueue();
  const call = new PublishCall('test', partitions.length, 1_000);
  for (const partition of partitions) {
    queue.add('t', partition, { record: { value: 'x' }, bytes: 1, valueBytes: 1, call });
  }
  const slices = queue.take(0);
  const stored: number[] = [];
  const round = new ProduceRound(slices, (done) =>
    stored.push(...done.map((slice) => slice.queue.partition)),
  );
  /** What kafkajs would send to the leader of these partitions. */
  const requestFor = (...own: readonly number[]): ProduceRequest => ({
    topicData: [{ topic: 't', partitions: own.map((partition) => toPartition(slices, partition)) }],
  });
  return { round, stored, requestFor };
}

function toPartition(slices: readonly PublishSlice[], partition: number) {
  const slice = slices.find(({ queue }) => queue.partition === partition);
  return { partition, messages: slice?.entries.map(({ record }) => record) ?? [] };
}

function answerOf(codes: Readonly<Record<number, number>>) {
  const partitions = Object.entries(codes).map(([id, errorCode]) => ({ partition: Number(id), errorCode }));
  return { topics: [{ topicName: 't', partitions }] };
}

function failuresOf(round: ProduceRound, error?: Error): string[] {
  return round
    .failures(error)
    .map(({ slice, fate, error: cause }) =>
      [slice.queue.partition, fate, brokerErrorType(cause) ?? String(cause)].join(' '),
    );
}

describe('a send to several brokers', () => {
  test('tells what is stored as each broker answers, and what became of each of the others', () => {
    const { round, stored, requestFor } = roundWith([0, 1, 2, 3, 4]);
    round.begin(requestFor(0, 1));
    round.begin(requestFor(2, 3));
    round.answer(answerOf({ 0: 0, 1: NOT_LEADER }));
    expect(stored).toEqual([0]);
    round.lose(requestFor(2, 3), new Error('connection lost'));
    expect(failuresOf(round)).toEqual([
      '1 answered NOT_LEADER_FOR_PARTITION',
      '2 lost Error: connection lost',
      '3 lost Error: connection lost',
      '4 left-out Error: no broker confirmed partition 4 of t',
    ]);
  });

  test('before any request was made nothing is in doubt, whatever ended the send', () => {
    const { round } = roundWith([0, 1]);
    expect(failuresOf(round, new Error('no metadata'))).toEqual([
      '0 not-asked Error: no metadata',
      '1 not-asked Error: no metadata',
    ]);
  });

  test('knows which of its requests were made when something else ends it', () => {
    const { round, requestFor } = roundWith([0, 1]);
    round.begin(requestFor(1));
    expect(failuresOf(round, new Error('ended'))).toEqual([
      '0 not-asked Error: ended',
      '1 lost Error: ended',
    ]);
  });

  test('counts a partition that an answer leaves out as lost, and one that is named twice once', () => {
    const { round, stored, requestFor } = roundWith([0, 1]);
    round.begin(requestFor(0, 1));
    round.answer(answerOf({ 0: 0 }));
    round.answer(answerOf({ 0: NOT_LEADER }));
    expect(stored).toEqual([0]);
    expect(failuresOf(round)).toEqual(['1 lost Error: no broker confirmed partition 1 of t']);
  });

  test('is found by the request of any of its brokers, and by no other request', () => {
    const { round, requestFor } = roundWith([0, 1]);
    expect([roundOf(requestFor(0)), roundOf(requestFor(1))]).toEqual([round, round]);
    expect(roundOf({ topicData: [{ topic: 't', partitions: [{ partition: 0, messages: [{}] }] }] })).toBe(
      undefined,
    );
    expect(roundOf({ topicData: [] })).toBe(undefined);
  });

  test('repeated, is the round of its latest send', () => {
    const queue = new PublishQueue();
    const call = new PublishCall('test', 1, 1_000);
    queue.add('t', 0, { record: { value: 'x' }, bytes: 1, valueBytes: 1, call });
    const slices = queue.take(0);
    const rounds = [0, 1].map(() => new ProduceRound(slices, () => undefined));
    const request = { topicData: [{ topic: 't', partitions: [toPartition(slices, 0)] }] };
    expect(roundOf(request)).toBe(rounds[1]);
  });
});
