import { expect, it } from 'vitest';
import { fillTemplate } from '../../../../shared/api/notification/fill-template.ts';
import { smsReader } from '../../../../shared/api/notification/read-command.ts';
import { isSameCode } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { exampleJson, recordFrom } from '../../../support/builders/catalogue-entries.ts';

const REMINDER = recordFrom(
  'notification-template',
  exampleJson('notification-template', 'PAYMENT-REMINDER'),
);
const { record } = REMINDER;
const find = (code: string) => (isSameCode(code, 'PAYMENT-REMINDER') ? record : undefined);
const withoutSms = () => ({ ...record, Sms: [] });
const FIELDS = { name: 'Ana', amount: '120.50 EUR', day: '1 May', contract: 'C-7' };
const useOf = (fields: Record<string, string> = FIELDS, language?: string, name = 'payment-reminder') => ({
  name,
  language,
  fields,
});
const faultsOf = ({ faults }: ReturnType<typeof fillTemplate>) =>
  faults.map(({ path, code }) => `${path} ${code}`);

it('fills in the text of the channel and language, by default the first one (N9)', () => {
  expect(fillTemplate('sms', useOf(FIELDS, 'RO'), find)).toEqual({
    texts: { message: 'Plata de 120.50 EUR pentru contractul C-7 este scadenta la 1 May.' },
    faults: [],
  });
  expect(fillTemplate('sms', useOf(), find).texts.message).toMatch(/^Payment of 120.50 EUR/);
  expect(fillTemplate('email', useOf(), find).texts).toMatchObject({
    subject: 'Your payment is due on 1 May',
    contentType: 'text/html',
  });
});

it('escapes values in HTML only, and inserts a value that looks like a placeholder as it is', () => {
  const fields = { ...FIELDS, name: `<b>"A" & 'B'</b> {{amount}}`, day: '<1>' };
  const { texts } = fillTemplate('email', useOf(fields), find);
  expect(texts.message).toContain('Dear &#60;b&#62;&#34;A&#34; &#38; &#39;B&#39;&#60;/b&#62; {{amount}},');
  expect(texts.subject).toBe('Your payment is due on <1>');
  expect(fillTemplate('sms', useOf({ ...FIELDS, day: '<1>' }), find).texts.message).toContain('due on <1>.');
});

it('reports all unknown names and missing fields together, without values', () => {
  const { contract: _, ...fewer } = FIELDS;
  const refused = fillTemplate('sms', useOf({ ...fewer, contact: 'secret', day: ' ' }, 'de'), find);
  expect(faultsOf(refused)).toEqual([
    'template.language unknown-value',
    'template.fields.day empty',
    'template.fields.contract missing',
    'template.fields.contact unknown-member',
  ]);
  expect(JSON.stringify(refused)).not.toContain('secret');
  expect(refused.faults.at(-1)?.message).toContain('did you mean contract?');
  expect(faultsOf(fillTemplate('sms', useOf(FIELDS, 'ro', 'other'), find))).toEqual([
    'template.name unknown-value',
  ]);
  expect(faultsOf(fillTemplate('sms', useOf(), withoutSms))).toEqual(['template.name unknown-value']);
});

it('keeps the limits of a message, and refuses what a message may not have', () => {
  expect(faultsOf(fillTemplate('sms', useOf({ ...FIELDS, day: 'x'.repeat(1_600) }), find))).toEqual([
    'template too-long',
  ]);
  expect(faultsOf(fillTemplate('sms', useOf({ ...FIELDS, day: 'a\u0000' }), find))).toEqual([
    'template.fields.day control-character',
  ]);
  expect(fillTemplate('sms', useOf({ ...FIELDS, day: 'a\nb' }), find).faults).toEqual([]);
  expect(faultsOf(fillTemplate('email', useOf({ ...FIELDS, day: 'a\r\nBcc: b' }), find))).toEqual([
    'template.fields.day control-character',
  ]);
  expect(faultsOf(fillTemplate('email', useOf({ ...FIELDS, day: 'x'.repeat(990) }), find))).toEqual([
    'template too-long',
  ]);
});

it('leaves out an optional field, also one that is called constructor', () => {
  const Fields = [{ Name: 'constructor', IsOptional: true }];
  const other = () => ({ ...record, Fields, Sms: [{ Language: 'en', Message: 'Hi {{ constructor }}!' }] });
  expect(fillTemplate('sms', useOf({}), other)).toEqual({ texts: { message: 'Hi !' }, faults: [] });
});

it('smsReader reports the faults of the template beside all others, and keeps the template with its text', () => {
  const reading = { hasDefaultSender: true, findTemplate: find };
  const template = { name: 'payment-reminder', fields: FIELDS };
  expect(smsReader.parse({ receiver: '+40722123456', template }, reading)).toMatchObject({
    kind: 'valid',
    payload: { message: expect.stringMatching(/^Payment of/) as string, template },
  });
  const read = smsReader.parse({ template: { ...template, fields: { name: 5 } }, sendAt: 'x' }, reading);
  expect(read.kind === 'invalid' && read.faults.map(({ path }) => path)).toEqual([
    'receiver',
    'template.fields.name',
    'sendAt',
    'template.fields.amount',
    'template.fields.day',
    'template.fields.contract',
  ]);
});
