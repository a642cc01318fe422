import { expect, it } from 'vitest';
import {
  sanitiseCode,
  sanitiseId,
} from '../../../../workers/notification/providers/sanitise-provider-text.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';

it.each([
  ['drops', 'the address of the receiver', 'x-Ana.Pop-1', { receiver: 'ana.pop@mail.example' }],
  ['drops', 'five digits within a longer number', 'x-9977123', { message: 'code 77123' }],
  ['drops', 'grouped digits', 'x-77123', { message: 'code 771-23' }],
  ['drops', 'digits of the receiver', 'x-4072299', { receiver: '+40722999888' }],
  ['drops', 'a secret', 'x-s3cr3t', {}],
  ['drops', 'a word within a longer one', 'xxpopescuxx', { message: 'Domnule Popescu' }],
  ['drops', 'blanks', 'a b', {}],
  ['drops', 'more than 64 characters', 'x'.repeat(65), {}],
  ['keeps', 'four digits of a number', 'x-8881234', { message: 'code 71234 9' }],
  ['keeps', 'other digits', 'x-9977124', { message: 'code 77123' }],
  ['keeps', 'every allowed character', '<a.1_b:2@c+d=e/f~G-9>', {}],
])('%s an id with %s', (verb, _, id, changes) => {
  const message = anSms({ receiver: '+1', ...changes });
  expect(sanitiseId(id, { message, secrets: ['s3cr3t'] })).toBe(verb === 'keeps' ? id : undefined);
});

it.each([
  ['smtp-550-5.1.1', 'smtp-550-5.1.1'],
  ['a b\r\nc', 'a-b-c'],
  ['…', 'unnamed'],
  ['', 'unnamed'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('sanitises the code %j to %j', (given, kept) => {
  expect(sanitiseCode(given)).toBe(kept);
});
