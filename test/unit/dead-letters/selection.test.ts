import { describe, expect, it } from 'vitest';
import { parsePlace, placeId } from '../../../shared/dead-letters/read-dead-letter.ts';
import type { Selection } from '../../../shared/dead-letters/find-dead-letters.ts';
import { createSelector, isRestricted } from '../../../shared/dead-letters/find-dead-letters.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { deadLetter, deadLetterMessage, LETTER_AT_MS } from '../../support/worlds/dead-letters.ts';

const KEY = deadLetterMessage().key;
const chosen = (selection: Selection, prefix = '') =>
  createSelector(selection, prefix)(
    deadLetter({}, { topic: prefix + TOPIC.notificationDeadLetters, type: 'SendSmsCommand' }),
    KEY,
  );

describe('a selection', () => {
  it('without criteria selects all letters and is not restricted', () => {
    expect(chosen({})).toBe(true);
    expect(isRestricted({ topics: [], key: undefined })).toBe(false);
    expect(isRestricted({ until: 0 })).toBe(true);
    expect(isRestricted({ key: '' })).toBe(true);
  });

  it('by type', () => {
    expect(chosen({ types: ['SendEmailCommand', 'SendSmsCommand'] })).toBe(true);
    expect(chosen({ types: ['SendEmailCommand'] })).toBe(false);
  });

  it.each([
    [TOPIC.smsUrgentCommands, 'sms', true],
    [TOPIC.emailCommands, 'email', true],
    [TOPIC.emailCommands, 'sms', false],
    [TOPIC.scheduleRequests, 'sms', false],
  ] as const)('of %s by channel %s: %s', (topic, channel, isSelected) => {
    const original = { topic: `test.${topic}`, partition: 0, offset: 0 };
    expect(createSelector({ channel }, 'test.')(deadLetter({}, { original }), KEY)).toBe(isSelected);
  });

  it('by topic accepts the worker, the dead-letter topic and the original topic, with and without prefix', () => {
    expect(chosen({ topics: ['notification'] })).toBe(true);
    expect(chosen({ topics: [TOPIC.notificationDeadLetters] })).toBe(true);
    expect(chosen({ topics: [TOPIC.notificationDeadLetters] }, 'test.')).toBe(true);
    expect(chosen({ topics: ['notification'] }, 'test.')).toBe(true);
    expect(chosen({ topics: [TOPIC.smsCommands] })).toBe(true);
    expect(chosen({ topics: ['schedule', 'notification'] })).toBe(true);
    expect(chosen({ topics: ['schedule'] })).toBe(false);
    expect(chosen({ topics: ['notif'] })).toBe(false);
  });

  it('by code matches the whole code, or a prefix before an asterisk', () => {
    expect(chosen({ codes: ['smtp-550-5.1.1'] })).toBe(true);
    expect(chosen({ codes: ['smtp-5*'] })).toBe(true);
    expect(chosen({ codes: ['smtp-5'] })).toBe(false);
    expect(chosen({ codes: ['smtp-4*', 'x'] })).toBe(false);
  });

  it('by key matches the string and the bytes in hexadecimal', () => {
    expect(chosen({ key: 'ab'.repeat(32) })).toBe(true);
    expect(chosen({ key: KEY?.toString('hex').toUpperCase() })).toBe(true);
    expect(chosen({ key: 'ab' })).toBe(false);
    expect(createSelector({ key: '' }, '')(deadLetter(), null)).toBe(false);
  });

  it('by time includes the start and excludes the end', () => {
    expect(chosen({ since: LETTER_AT_MS })).toBe(true);
    expect(chosen({ since: LETTER_AT_MS + 1 })).toBe(false);
    expect(chosen({ until: LETTER_AT_MS })).toBe(false);
    expect(chosen({ until: LETTER_AT_MS + 1 })).toBe(true);
  });

  it('by id matches topic/partition/offset, also without the prefix, and case-insensitive notification ids', () => {
    expect(chosen({ ids: [`${TOPIC.notificationDeadLetters}/4/17`] })).toBe(true);
    expect(chosen({ ids: [`${TOPIC.notificationDeadLetters}/4/18`] })).toBe(false);
    expect(chosen({ ids: ['0C6A9F5E-1d5c-4b9e-8f7a-3f1f3a0f2b11'] })).toBe(true);
    expect(chosen({ ids: ['0c6a9f5e'] })).toBe(false);
  });
});

it('parsePlace reads what placeId writes and refuses other strings', () => {
  const place = { topic: 'a.b-c.v1', partition: 3, offset: 12 };
  expect(parsePlace(placeId(place))).toEqual(place);
  for (const text of ['', 'a', 'a/1', 'a/b/1', 'a/1/-1', 'a/1/1/1', 'a b/1/1'])
    expect(parsePlace(text)).toBeUndefined();
});
