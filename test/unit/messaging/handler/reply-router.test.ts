import { expect, test } from 'vitest';
import { readReplyAddress } from '../../../../shared/messaging/handler/reply-router.ts';

const address = (topic: unknown, partition?: unknown) =>
  readReplyAddress({ kafka_replyTopic: topic, kafka_replyPartition: partition } as never);

test.each([
  ['four bytes big-endian (Spring)', Buffer.from([0, 0, 1, 2]), 258],
  ['decimal text (NestJS)', Buffer.from('11'), 11],
  ['decimal text as a string', '0', 0],
  ['four digits as text', Buffer.from('1234'), 1234],
  ['zero in four bytes', Buffer.alloc(4), 0],
  ['an absent header', undefined, undefined],
  ['an empty header', Buffer.alloc(0), undefined],
])('reads a reply partition given as %s', (_, given, partition) => {
  expect(address('replies', given)).toEqual({ kind: 'address', topic: 'replies', partition });
});

const NO_NUMBERS = [
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0, 0, 1]),
  Buffer.alloc(8),
  'one',
  '-1',
];
test.each(NO_NUMBERS)('rejects a reply partition of %j', (given) => {
  expect(address('replies', given)).toEqual({ kind: 'fault', code: 'reply-partition-invalid' });
});

test('uses the last value of a repeated header', () => {
  const expected = { kind: 'address', topic: 'last', partition: 2 };
  expect(address(['first', Buffer.from('last')], ['1', '2'])).toEqual(expected);
});

test.each([undefined, '', Buffer.alloc(0), []])('finds no reply address if the topic is %j', (topic) => {
  expect(address(topic)).toEqual({ kind: 'fault', code: 'no-reply-address' });
});

test.each(['a topic', '..', '.', 'ü', 'x'.repeat(250)])('rejects the topic name %s', (topic) => {
  expect(address(topic)).toEqual({ kind: 'fault', code: 'reply-topic-unknown' });
});
