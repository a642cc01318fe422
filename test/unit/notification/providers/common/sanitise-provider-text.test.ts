import { describe, expect, it } from 'vitest';
import {
  sanitiseCode,
  sanitiseId,
} from '../../../../../workers/notification/providers/common/sanitise-provider-text.ts';
import { anSms } from '../../../../support/builders/outbound-messages.ts';

it.each([
  ['drops', 'a word of four letters as a token', 'x-card-1', { message: 'your card' }],
  ['drops', 'a word of letters and digits as a token', 'x-ab12-1', { message: 'seat ab12' }],
  ['drops', 'a word of five letters within a longer one', 'xloansx1', { message: 'your loans' }],
  ['drops', 'a name of three letters between digits', '17ana42', { sender: 'Ana' }],
  ['drops', 'five digits within a longer number', 'x-9977123', { message: 'code 77123' }],
  ['drops', 'grouped digits', 'x-77123', { message: 'code 771-23' }],
  ['keeps', 'a word of four letters within a longer one', 'xcardx1', { message: 'your card' }],
  ['keeps', 'a word of three letters', 'x-new-1', { message: 'all new' }],
  ['keeps', 'four digits of a number', 'x-8881234', { message: 'code 71234 9' }],
  ['keeps', 'other digits', 'x-9977124', { message: 'code 77123' }],
])('%s an id with %s', (verb, _, id, changes) => {
  const message = anSms({ receiver: '+1', ...changes });
  expect(sanitiseId(id, { message, secrets: [], configured: [] })).toBe(verb === 'keeps' ? id : undefined);
});

describe('sanitiseCode', () => {
  it.each([
    ['smtp-550-5.1.1', 'smtp-550-5.1.1'],
    ['a b\r\nc', 'a-b-c'],
    ['…', 'unnamed'],
    ['', 'unnamed'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('sanitises %j to %j', (given, kept) => {
    expect(sanitiseCode(given)).toBe(kept);
  });
});
