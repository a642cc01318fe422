import { expect, it } from 'vitest';
import { messageValues } from '../../../../workers/notification/providers/message-values.ts';
import { anEmail, anSms } from '../../../support/builders/outbound-messages.ts';

it.each([
  ['notes.TXT', 'text/plain'],
  ['table.csv', 'text/csv'],
  ['a.b.json', 'application/json'],
  ['csv', 'text/csv'],
  ['unknown.bin', 'application/octet-stream'],
])('derives the media type of text from the name %s: %s', async (name, mediaType) => {
  const message = anEmail({ attachments: [{ name, content: Buffer.from('text') }] });
  const options = { defaultSender: undefined, phoneFormat: 'plus', listSeparator: ',' } as const;
  expect((await messageValues(message, options)).files).toMatchObject([{ fileName: name, mediaType }]);
});

it.each([
  ['office@bank.example', undefined, 'office@bank.example'],
  ['Bank <office@bank.example>', 'Bank', 'office@bank.example'],
  ['"Bank" <office@bank.example>', 'Bank', 'office@bank.example'],
  ['Bank < office@bank.example >', 'Bank', ' office@bank.example '],
  [' office@bank.example ', undefined, ' office@bank.example '],
  ['The "Bank" <office@bank.example>', undefined, 'The "Bank" <office@bank.example>'],
])('derives SENDER_NAME and SENDER_ADDRESS from the sender %j', async (defaultSender, name, address) => {
  const message = anEmail({ sender: undefined });
  const { texts } = await messageValues(message, { defaultSender, phoneFormat: 'plus', listSeparator: ',' });
  expect([texts.get('SENDER_NAME'), texts.get('SENDER_ADDRESS')]).toEqual([name, address]);
});

it.each([
  ...['', 'Your code is 1234.', 'Prix: 5 €, à toi? £$¥', '[a]{b}~^|\\\n\r'].map((text) => [text, 'text']),
  ...['Plată', 'ç', '’', '😀', '\t', 'Привет'].map((text) => [text, 'unicode']),
])('derives SMS_TYPE from the characters of %j: %s', async (message = '', type) => {
  const options = { defaultSender: undefined, phoneFormat: 'plus', listSeparator: ',' } as const;
  expect((await messageValues(anSms({ message }), options)).texts.get('SMS_TYPE')).toBe(type);
});
