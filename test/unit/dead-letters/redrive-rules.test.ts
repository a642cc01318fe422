import { describe, expect, it } from 'vitest';
import { deadLetterTopics } from '../../../shared/dead-letters/dead-letter-log.ts';
import type { DeadLetterState } from '../../../shared/dead-letters/audit.ts';
import { redriveMessage, decideRedrive } from '../../../shared/dead-letters/redrive-rules.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { idOfPosition } from '../../../shared/notification/notification-id.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { deadLetter, deadLetterMessage } from '../../support/worlds/dead-letters.ts';

const NOW_MS = 1_800_000_000_000;
const { destinations } = deadLetterTopics('');
const OPEN = { status: 'open', sentAgain: 0, before: 'open' } as const;
const DONE = { status: 'redriven', sentAgain: 1, before: 'redriven' } as const;
const PLAIN = { force: false, acceptDuplicates: false };
const TO = { topic: TOPIC.smsCommands, partition: 4, offset: 912 };

const decide = (letter = deadLetter(), state: DeadLetterState = OPEN, options = PLAIN) =>
  decideRedrive(letter, state, options, destinations);

const copyOf = (headers: LogMessage['headers'] = {}, mayDuplicate = false) =>
  redriveMessage(deadLetterMessage(headers), TO, { nowMs: NOW_MS, isCommand: true, mayDuplicate });

describe('redriveMessage of a notification', () => {
  it('keeps partition and key, and removes the headers of the dead letter', () => {
    const { headers, ...copy } = copyOf({ 'x-own': 'kept', [HEADER.correlationId]: 'c' });
    const { key, value } = deadLetterMessage();
    expect(copy).toEqual({ topic: TOPIC.smsCommands, partition: 4, key, value });
    expect(headers).toEqual({
      [HEADER.messageType]: 'SendSmsCommand',
      [HEADER.notificationId]: '0c6a9f5e-1d5c-4b9e-8f7a-3f1f3a0f2b11',
      [HEADER.correlationId]: 'c',
      'x-own': 'kept',
      [HEADER.originTimestamp]: '1777600000000',
      [HEADER.redriveCount]: '1',
      [HEADER.attempt]: '4',
      [HEADER.timeLimitFrom]: String(NOW_MS),
    });
  });

  it('sets an attempt number one higher than all recorded ones, the same for repeated copies', () => {
    const history = JSON.stringify([{ attempt: 6, at: 1, provider: 'a', result: 'transient' }]);
    expect(copyOf({ [HEADER.attemptHistory]: history }).headers?.[HEADER.attempt]).toBe('7');
    expect(copyOf({ [HEADER.attemptHistory]: 'not json' }).headers?.[HEADER.attempt]).toBe('4');
    expect(copyOf({ [HEADER.attempt]: undefined }).headers?.[HEADER.attempt]).toBe('2');
  });

  it('removes the deadline and the retry-tier headers, counts the redrive, and marks only an accepted duplicate', () => {
    const { headers } = copyOf({
      [HEADER.deadline]: '1',
      [HEADER.dueAt]: '2',
      [HEADER.retryTopic]: 't',
      [HEADER.retryPartition]: '3',
      [HEADER.redriveUnknown]: 'true',
      [HEADER.redriveCount]: '2',
    });
    for (const name of ['deadline', 'dueAt', 'retryTopic', 'retryPartition', 'redriveUnknown'] as const) {
      expect(headers).not.toHaveProperty([HEADER[name]]);
    }
    expect(headers?.[HEADER.redriveCount]).toBe('3');
    expect(copyOf({}, true).headers?.[HEADER.redriveUnknown]).toBe('true');
  });

  it('derives a missing notification id from the original offset, so that repeats have the same id', () => {
    for (const header of ['no uuid', '', undefined]) {
      const { headers } = copyOf({ [HEADER.notificationId]: header });
      expect(headers?.[HEADER.notificationId]).toBe(idOfPosition(TO));
    }
  });
});

it('redriveMessage of a request leaves the partition to the key and keeps the origin timestamp', () => {
  const to = { topic: TOPIC.scheduleRequests, partition: 1, offset: 0 };
  const letter = deadLetterMessage({ [HEADER.attempt]: undefined });
  const copy = redriveMessage(letter, to, { nowMs: NOW_MS, isCommand: false, mayDuplicate: false });
  expect(copy).not.toHaveProperty('partition');
  expect(copy.headers?.[HEADER.originTimestamp]).toBe('1777600000000');
  expect(copy.headers?.[HEADER.attempt]).toBeUndefined();
  expect(copy.headers).not.toHaveProperty([HEADER.timeLimitFrom]);
});

describe('decideRedrive', () => {
  it.each<[string, DeadLetterState, readonly string[]]>([
    ['an open letter without overrides', OPEN, []],
    ['a redriven letter and records the override', DONE, ['again']],
    ['one whose redrive has no result, as the copy is identical', { ...OPEN, status: 'redrive-begun' }, []],
  ])('sends %s', (_, state, overrides) => {
    expect(decide(deadLetter(), state)).toEqual({ kind: 'send', to: TO, overrides });
  });

  it('refuses a letter after three redrives, counted from headers and audit, unless forced', () => {
    const sentTwice = deadLetter({ [HEADER.redriveCount]: '2' });
    expect(decide(sentTwice)).toMatchObject({ kind: 'send' });
    expect(decide(sentTwice, DONE)).toMatchObject({ kind: 'refuse' });
    const thrice = deadLetter({ [HEADER.redriveCount]: '3' });
    expect(decide(thrice)).toMatchObject({ kind: 'refuse' });
    const forced = decide(thrice, OPEN, { ...PLAIN, force: true });
    expect(forced).toMatchObject({ kind: 'send', overrides: ['force'] });
  });

  it('refuses an unknown outcome unless duplicates are accepted', () => {
    const parked = deadLetter({ [HEADER.deadLetterCode]: 'outcome-unknown' });
    expect(decide(parked)).toMatchObject({ kind: 'refuse', override: 'acceptDuplicates' });
    const accepted = decide(parked, OPEN, { ...PLAIN, acceptDuplicates: true });
    expect(accepted).toMatchObject({ kind: 'send', overrides: ['accept-duplicates'] });
  });

  it.each([
    ['another system', 'bank.transfers'],
    ['dead letters', TOPIC.scheduleDeadLetters],
    ['replies', TOPIC.ingressReplies],
    ['the catalogue', TOPIC.catalogueRecords],
  ])('refuses a topic of %s', (_, topic) => {
    const letter = deadLetter({ [HEADER.deadLetterTopic]: topic });
    const all = { force: true, acceptDuplicates: true };
    expect(decide(letter, OPEN, all)).toMatchObject({ kind: 'refuse' });
  });

  const TIERS = ['plat.notification.retry.10m.v1', 'plat.notification.retry.10m.urgent.v1'];
  it.each(TIERS)(
    'sends a letter of the retry tier %s to its origin, and only with a notification id',
    (tier) => {
      const retry = { [HEADER.retryTopic]: TOPIC.smsCommands, [HEADER.retryPartition]: '7' };
      const ofTier = { [HEADER.deadLetterTopic]: tier, ...retry };
      const expected = { kind: 'send', to: { topic: TOPIC.smsCommands, partition: 7 } };
      expect(decide(deadLetter(ofTier))).toMatchObject(expected);
      for (const wrong of [
        { [HEADER.notificationId]: 'no uuid' },
        { [HEADER.retryTopic]: TOPIC.ingressReplies },
        { [HEADER.retryPartition]: 'x' },
      ])
        expect(decide(deadLetter({ ...ofTier, ...wrong }))).toMatchObject({ kind: 'refuse' });
      const forged = deadLetter({ [HEADER.retryTopic]: TOPIC.emailCommands, [HEADER.retryPartition]: '7' });
      expect(decide(forged)).toMatchObject({ to: TO });
    },
  );

  const NEEDED = ['deadLetterTopic', 'deadLetterPartition', 'deadLetterOffset'] as const;
  it.each(NEEDED)('refuses a letter without the header %s', (name) => {
    const letter = deadLetter({ [HEADER[name]]: undefined });
    expect(letter.original).toBeUndefined();
    expect(decide(letter)).toMatchObject({ kind: 'refuse' });
  });
});
