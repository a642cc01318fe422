import { expect, test } from 'vitest';
import { readReplyAddress } from '../../../../shared/messaging/handler/reply-router.ts';

const address = (topic: unknown, partition?: unknown) =>
  readReplyAddress({ kafka_replyTopic: topic, kafka_replyPartition: partition } as never);

test.each([
  ['four bytes big-endian, as Spring sends it', Buffer.from([0, 0, 1, 2]), 258],
  ['decimal text, as NestJS sends it', Buffer.from('11'), 11],
  ['decimal text as a string', '0', 0],
  ['four digits of text', Buffer.from('1234'), 1234],
  ['zero in four bytes', Buffer.alloc(4), 0],
  ['absent', undefined, undefined],
  ['empty', Buffer.alloc(0), undefined],
])('a reply partition may be %s', (_, given, partition) => {
  expect(address('replies', given)).toEqual({ kind: 'address', topic: 'replies', partition });
});

test.each([
  ['negative bytes', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ['three bytes', Buffer.from([0, 0, 1])],
  ['eight bytes', Buffer.alloc(8)],
  ['text that is no number', 'one'],
  ['a negative number', '-1'],
])('%s are no reply partition', (_, given) => {
  expect(address('replies', given)).toEqual({ kind: 'fault', code: 'reply-partition-invalid' });
});

test('of a repeated header the last counts', () => {
  expect(address(['first', Buffer.from('last')], ['1', '2'])).toEqual({
    kind: 'address',
    topic: 'last',
    partition: 2,
  });
});

test.each([undefined, '', Buffer.alloc(0), []])('no reply topic is no address: %j', (topic) => {
  expect(address(topic)).toEqual({ kind: 'fault', code: 'no-reply-address' });
});

test.each(['a topic', '..', '.', 'ü', 'x'.repeat(250)])('%s cannot be a topic', (topic) => {
  expect(address(topic)).toEqual({ kind: 'fault', code: 'reply-topic-unknown' });
});
