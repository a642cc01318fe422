import { describe, expect, it } from 'vitest';
import { readTemplate, type Encoding } from '../../../../shared/notification/payload-template.ts';
import {
  encodePayload,
  messageValues,
  renderPayload,
} from '../../../../workers/notification/providers/http-payload.ts';
import { anEmail, anSms } from '../../../support/builders/outbound-messages.ts';

const OPTIONS = { defaultSender: undefined, phoneFormat: 'plus', listSeparator: ', ' } as const;
const email = anEmail({
  sender: 'Bank <info@bank.example>',
  cc: ['one@example.com', 'two@example.com'],
  attachments: [{ name: 'a "b".csv', content: Buffer.from('1;2') }],
});

async function encoded(template: object | string, encoding: Encoding) {
  const node = readTemplate(template, encoding, () => undefined);
  if (node === undefined) throw new Error('the template cannot be read');
  const rendered = renderPayload(node, await messageValues(email, OPTIONS)) ?? {};
  return encodePayload(rendered as Readonly<Record<string, string>>, encoding);
}

describe('a payload', () => {
  it('is JSON with constants and repeated items, without fields that have no value', async () => {
    const template = {
      from: { name: 'SENDER_NAME_PLACEHOLDER', email: 'SENDER_ADDRESS_PLACEHOLDER' },
      version: 2,
      bcc: ['BCC_PLACEHOLDER'],
      cc: [{ email: 'CC_PLACEHOLDER' }],
      files: [
        {
          name: 'ATTACHMENT_NAME_PLACEHOLDER',
          type: 'ATTACHMENT_TYPE_PLACEHOLDER',
          data: 'ATTACHMENT_CONTENT_PLACEHOLDER',
        },
      ],
      copies: 'CC_PLACEHOLDER',
      note: 'cc: CC_PLACEHOLDER, bcc: BCC_PLACEHOLDER',
      html: { body: 'HTML_PLACEHOLDER' },
      empty: [],
    };
    const { body, contentType, query } = await encoded(template, 'json');
    expect([contentType, query]).toEqual(['application/json', '']);
    expect(JSON.parse(body?.toString() ?? '')).toEqual({
      from: { name: 'Bank', email: 'info@bank.example' },
      version: 2,
      cc: [{ email: 'one@example.com' }, { email: 'two@example.com' }],
      copies: 'one@example.com, two@example.com',
      note: 'cc: one@example.com, two@example.com, bcc: ',
      files: [{ name: 'a "b".csv', type: 'text/csv', data: 'MTsy' }],
      empty: [],
    });
  });

  it.each([
    ['plus', 'hello', '+40711000111', 'text'],
    ['digits', 'bună', '40711000111', 'unicode'],
  ] as const)(
    'has numbers as %s, and the alphabet of the SMS',
    async (phoneFormat, message, number, type) => {
      const sms = { ...anSms(), sender: '+40711000111', receiver: '+40711000111', message };
      const { texts } = await messageValues(sms, { ...OPTIONS, phoneFormat });
      expect(Object.fromEntries(texts)).toEqual({
        ID: sms.id,
        MESSAGE: message,
        SENDER: number,
        SENDER_ADDRESS: number,
        RECEIVER: number,
        TEXT: message,
        CONTENT_TYPE: 'text/plain',
        SMS_TYPE: type,
      });
    },
  );

  it('is a form or a query with a repeated field for a list', async () => {
    const template = { to: 'RECEIVER_PLACEHOLDER', cc: ['CC_PLACEHOLDER'], n: 1 };
    const fields = 'to=customer%40example.com&cc=one%40example.com&cc=two%40example.com&n=1';
    const form = { contentType: 'application/x-www-form-urlencoded', body: Buffer.from(fields), query: '' };
    expect(await encoded(template, 'form')).toEqual(form);
    const query = { contentType: undefined, body: undefined, query: fields };
    expect(await encoded(template, 'query')).toEqual(query);
  });

  it.each([
    ['fields', 'to=RECEIVER_PLACEHOLDER&as=CONTENT_TYPE_PLACEHOLDER&n=a{'],
    ['JSON', ' {"to": RECEIVER_PLACEHOLDER, "as": CONTENT_TYPE_PLACEHOLDER, "n": "a{"}'],
  ])('is a form whose text template is %s', async (_, template) => {
    const { body } = await encoded(template, 'form');
    expect(body?.toString()).toBe('to=customer%40example.com&as=text%2Fplain&n=a%7B');
    await expect(encoded('to=RECEIVER_PLACEHOLDER', 'json')).rejects.toThrow('cannot be read');
  });

  it('is a multipart body with files', async () => {
    const template = { to: 'RECEIVER_PLACEHOLDER', file: ['ATTACHMENT_PLACEHOLDER'] };
    const { body, contentType } = await encoded(template, 'multipart');
    const headers = { 'content-type': contentType ?? '' };
    const form = await new Response(Uint8Array.from(body ?? []), { headers }).formData();
    const file = form.get('file') as File;
    expect([form.get('to'), await file.text()]).toEqual(['customer@example.com', '1;2']);
    expect([file.name, file.type]).toEqual(['a "b".csv', 'text/csv']);
  });
});

it.each([
  ['notes.TXT', 'text/plain'],
  ['table.csv', 'text/csv'],
  ['a.b.json', 'application/json'],
  ['csv', 'text/csv'],
  ['unknown.bin', 'application/octet-stream'],
  ['unknown.constructor', 'application/octet-stream'],
])('derives the media type of text from the name %s: %s', async (name, mediaType) => {
  const message = anEmail({ attachments: [{ name, content: Buffer.from('text') }] });
  expect((await messageValues(message, OPTIONS)).files).toMatchObject([{ fileName: name, mediaType }]);
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
  const { texts } = await messageValues(message, { ...OPTIONS, defaultSender });
  expect([texts.get('SENDER_NAME'), texts.get('SENDER_ADDRESS')]).toEqual([name, address]);
});

it.each([
  ...['', 'Your code is 1234.', 'Prix: 5 €, à toi? £$¥', '[a]{b}~^|\\\n\r'].map((text) => [text, 'text']),
  ...['Plată', 'ç', '’', '😀', '\t', 'Привет'].map((text) => [text, 'unicode']),
])('derives SMS_TYPE from the characters of %j: %s', async (message = '', type) => {
  expect((await messageValues(anSms({ message }), OPTIONS)).texts.get('SMS_TYPE')).toBe(type);
});
