import { expect, it } from 'vitest';
import { NOTIFICATION_LIMITS } from '../../../../shared/api/notification/notification-limits.ts';
import { NOTIFICATIONS } from '../../../../shared/api/notification/send-operations.ts';
import {
  emailCommandReader,
  emailReader,
  smsReader,
} from '../../../../shared/api/notification/read-command.ts';
import type { ReadRequest } from '../../../../shared/api/json/request-reader.ts';
import type { EmailCommand } from '../../../../shared/notification/notification-command.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';

/** Far more than a reading takes, and far less than a search that grows with the square of a text, or reads megabytes. */
const MOST_MS = 150;
const READING = { hasDefaultSender: true };
const SMS = { message: 'Hello', receiver: '+40722123456' };
const EMAIL = { message: 'Hello', receiver: 'ana@mail.example', subject: 'News' };
const file = (content: Buffer | string, name = 'a.txt') => ({
  name,
  content: Buffer.from(content).toString('base64'),
});

const list = (count: number, domain: string) =>
  Array.from({ length: count }, (_, index) => `n${index}@${domain}`).join(';');
const files = (count: number) => Array.from({ length: count }, () => file('x'));

const readSms = (body: unknown, reading: Parameters<typeof smsReader.parse>[1] = READING) =>
  smsReader.parse(body, reading);
const readEmail = (fields: object) => emailReader.parse({ ...EMAIL, ...fields }, READING);
/** The path and code of each fault; all messages state what is missing or required. */
const faultsOf = (read: ReadRequest<unknown>) => {
  const faults = read.kind === 'invalid' ? read.faults : [];
  expect(faults.filter(({ message }) => !/^(must|is missing;|is not known here) /.test(message))).toEqual([]);
  return faults.map(({ path, code }) => `${path} ${code}`);
};
const problemOf = (read: ReadRequest<unknown>) => (read.kind === 'invalid' ? read.problem : undefined);
const emailOf = (fields: object): EmailCommand => {
  const read = readEmail(fields);
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  return read.payload;
};

const messageOf = (fields: object) => {
  const read = { ...SMS, ...EMAIL, ...fields };
  const result = 'subject' in fields ? readEmail(read) : readSms(read);
  return result.kind === 'invalid' ? result.faults[0]?.message : undefined;
};

it('smsReader (4.8) normalises a number (N4), and reports all faults without the values (E3)', () => {
  expect(readSms({ ...SMS, receiver: '0040 (722) 123-456', sender: 'MyBank' })).toEqual({
    kind: 'valid',
    payload: { notificationId: undefined, sender: 'MyBank', message: 'Hello', receiver: '+40722123456' },
    warnings: [],
  });
  const read = readSms({ sender: 'much too long a name', message: '', receiver: '0722 98 76 54' });
  expect(faultsOf(read)).toEqual(['sender invalid-sender', 'message empty', 'receiver invalid-phone-number']);
  expect(JSON.stringify(read)).not.toMatch(/much too long a name|0722 98|987654/);
  expect(faultsOf(readSms({ sender: 5 }))).toEqual(
    'sender wrong-type, message missing, receiver missing'.split(', '),
  );
});

it('the readers take the category of a notification (N8), and refuse another word', () => {
  expect(readSms({ ...SMS, category: 'campaign' })).toMatchObject({ payload: { category: 'campaign' } });
  expect(emailOf({ category: 'transactional' }).category).toBe('transactional');
  expect(emailOf({}).category).toBeUndefined();
  expect(faultsOf(readSms({ ...SMS, category: 'marketing' }))).toEqual(['category unknown-value']);
  expect(faultsOf(readEmail({ category: 5 }))).toEqual(['category wrong-type']);
});

it.each([null, 5, 'text', [SMS], undefined])('smsReader refuses the body %j', (body) => {
  expect(faultsOf(readSms(body))).toEqual([expect.stringMatching(/^body (wrong-type|missing)$/)]);
});

it('smsReader ignores and reports unknown fields, including the id of a command (E3)', () => {
  const id = '0b6f3c4e-2d1a-5f7b-9c8d-1e2f3a4b5c6d';
  expect(readSms({ ...SMS, receivr: 'x', notificationId: id, subject: 's' })).toMatchObject({
    kind: 'valid',
    payload: { notificationId: undefined },
    warnings: ['receivr', 'notificationId', 'subject'].map((path) => ({ code: 'unknown-member', path })),
  });
});

it('smsReader requires a sender without a default (N3), and a message of 1 to 1,600 characters', () => {
  const reading = { hasDefaultSender: false };
  expect(faultsOf(readSms(SMS, reading))).toEqual(['sender missing']);
  expect(faultsOf(readSms({ message: 'x', sender: null }, reading))).toEqual([
    'receiver missing',
    'sender missing',
  ]);
  expect(readSms({ ...SMS, sender: 'MyBank' }, reading).kind).toBe('valid');
  expect(readSms({ ...SMS, sender: null }).kind).toBe('valid');
  expect(readSms({ ...SMS, message: 'x'.repeat(1_600) }).kind).toBe('valid');
  const refused = ['x'.repeat(1_601), ' \n', 'a\u0000b'].map((message) =>
    faultsOf(readSms({ ...SMS, message })),
  );
  expect(refused.flat()).toEqual(['message too-long', 'message empty', 'message control-character']);
  expect(readSms({ ...SMS, message: 'two\r\nlines\tand 🙂' }).kind).toBe('valid');
});

it('smsReader names a wrong character by its code point, and completes numbers of a country (N4)', () => {
  const subject = 's';
  const characters = [
    { receiver: '+40722\u0661' },
    { receiver: '+40722123456\u2028' },
    { receiver: '+40722123456', sender: 'B\u0430nk' },
    { subject, receiver: '\u0430na@mail.example' },
    { subject, receiver: 'ana@m\u200dail.example' },
    { subject, cc: 'a@b\u00fccher.example; \u0430na@b\u00fccher.example' },
  ].map((fields) => /; (U\+\w{4}) is not allowed/.exec(messageOf(fields) ?? '')?.[1]);
  expect(characters).toEqual(['U+0661', 'U+2028', 'U+0430', 'U+0430', 'U+200D', 'U+0430']);
  expect(messageOf({ receiver: '+40722' })).not.toContain('U+');
  const body = { ...SMS, receiver: '0722 123 456' };
  expect(readSms(body, { ...READING, country: 'RO' })).toMatchObject({
    payload: { receiver: '+40722123456' },
  });
  expect(faultsOf(readSms(body))).toEqual(['receiver invalid-phone-number']);
});

const MIB = 1_024 * 1_024;
const readCommand = (body: unknown) => emailCommandReader.parse(body, READING);

const units = '@|;|.| |"|=|1|\u200b|\u200d|\u0416|\uff0b|\u2028|😀|İ|\u0416\u200d| .|a@'.split('|');
it.each(units)('a notification of the largest size takes little time when a field repeats %j', (unit) => {
  const long = unit.repeat((9 * MIB) / 3 / unit.length);
  const names = ['sender', 'receiver', 'message', 'subject', 'cc', 'bcc', 'contentType', 'other'];
  const isSlow = (name: string) =>
    leastMsOf(() => [readEmail({ [name]: long }), readSms({ ...SMS, [name]: long })]) >= MOST_MS;
  expect(names.filter(isSlow)).toEqual([]);
  expect(leastMsOf(() => readEmail({ attachmentList: [file('x', long)] }))).toBeLessThan(MOST_MS);
  expect(leastMsOf(() => readEmail({ [long]: '' }))).toBeLessThan(MOST_MS);
  expect(leastMsOf(() => readCommand({ ...EMAIL, notificationId: long }))).toBeLessThan(MOST_MS);
  const cc = unit.repeat(NOTIFICATION_LIMITS.addressListCharacters / unit.length);
  expect(leastMsOf(() => readEmail({ cc }))).toBeLessThan(MOST_MS);
});

it('a notification of the largest size is refused for the length of its texts alone', () => {
  const long = '\u200d'.repeat(5_000);
  const texts = { sender: long, receiver: long };
  expect(
    faultsOf(readEmail({ ...texts, subject: long, attachmentList: [file('x', `${long}.txt`)] })),
  ).toEqual(['sender too-long', 'receiver too-long', 'subject too-long', 'attachmentList[0].name too-long']);
  expect(faultsOf(readSms({ ...SMS, ...texts }))).toEqual(['sender too-long', 'receiver too-long']);
});

const nameOf = (name: string) =>
  emailOf({ attachmentList: [file('x', name)] }).attachments.map((one) => one.name)[0];

it('emailReader accepts text/plain, the default, and text/html (N3), each address once (N4)', () => {
  expect(emailOf({}).contentType).toBe('text/plain');
  expect(emailOf({ contentType: 'Text/HTML' }).contentType).toBe('text/html');
  for (const parameter of [
    '',
    '; charset=utf-8',
    ';charset="UTF-8"',
    ' ; Charset=utf8',
    '; charset=us-ascii',
    ';',
  ])
    expect(emailOf({ contentType: `text/html${parameter}` }).contentType).toBe('text/html');
  const refused =
    'calendar|htmlx|html; charset=iso-8859-2|plain; format=flowed|html; charset=utf-8; boundary=a|html\r\nX: y';
  for (const type of refused.split('|'))
    expect(faultsOf(readEmail({ contentType: `text/${type}` }))).toEqual(['contentType unknown-value']);
  const receiver = ' ana@mail.example ';
  const cc = 'b@mail.example; ANA@mail.example, b@mail.example ;';
  const cleaned = { receiver: 'ana@mail.example', cc: ['b@mail.example'], bcc: ['c@mail.example'] };
  expect(emailOf({ receiver, cc, bcc: 'c@mail.example,B@mail.example' })).toMatchObject(cleaned);
  expect(emailOf({ cc: '', bcc: ' ;, ' })).toMatchObject({ cc: [], bcc: [] });
});

it('emailReader accepts at most 50 recipients', () => {
  const cc = list(20, 'cc.example');
  expect(readEmail({ cc, bcc: list(29, 'bcc.example') }).kind).toBe('valid');
  expect(faultsOf(readEmail({ cc, bcc: list(30, 'bcc.example') }))).toEqual(['bcc too-many-recipients']);
  expect(faultsOf(readEmail({ cc: list(50, 'cc.example') }))).toEqual(['cc too-many-recipients']);
  expect(readEmail({ cc: list(60, 'cc.example').replaceAll(/n\d+/g, 'n') }).kind).toBe('valid');
  expect(faultsOf(readEmail({ cc: 'a@b.example;'.repeat(2_000) }))).toEqual(['cc too-long']);
});

it('emailReader refuses unpaired surrogates, and requires a subject of at most 998 bytes', () => {
  for (const broken of ['\ud800x', 'x\udc00', '\udc00\ud800']) {
    const faults = faultsOf(readEmail({ subject: broken, message: broken }));
    expect(faults).toEqual(['message broken-text', 'subject broken-text']);
    expect(faultsOf(readSms({ ...SMS, message: broken }))).toEqual(['message broken-text']);
  }
  expect(readEmail({ subject: '🙂', message: '🙂' }).kind).toBe('valid');
  expect(readEmail({ subject: 'ă'.repeat(499) }).kind).toBe('valid');
  expect(faultsOf(readEmail({ subject: 'ă'.repeat(500) }))).toEqual(['subject too-long']);
  expect(faultsOf(readEmail({ subject: '' }))).toEqual(['subject empty']);
});

it('emailReader decodes files, and removes from their names what readers do not see', () => {
  expect(nameOf('\u2068offer.txt\u2069\u200b')).toBe('offer.txt');
  expect(nameOf('offer.txt. .')).toBe('offer.txt');
  expect(nameOf('Ofert\u0103 mai.txt')).toBe('Ofert\u0103 mai.txt');
  const bytes = Buffer.from([0, 1, 2, 255]);
  expect(emailOf({ attachmentList: [file(bytes, 'a.p7m')] }).attachments).toEqual([
    { name: 'a.p7m', content: bytes },
  ]);
  expect(emailOf({ attachmentList: [] }).attachments).toEqual([]);
});

it('emailReader refuses content that is not strict base64 (N3)', () => {
  for (const content of ['QQ', 'QQ=', 'Q Q=', 'QUJD\r\n', 'QR==', 'QUJD=', '-_-_', '====', 'ä===', '*'])
    expect(faultsOf(readEmail({ attachmentList: [{ name: 'a.txt', content }] }))).toEqual([
      'attachmentList[0].content invalid-base64',
    ]);
});

it('emailReader reports the faults of all files with their position, not their name', () => {
  const read = readEmail({
    attachmentList: [
      { name: 'planted-name.exe', content: 'QQ==' },
      { name: '', content: '' },
      { content: 5 },
      7,
      { name: '../planted-name', content: '?' },
    ],
  });
  expect(faultsOf(read).toSorted()).toEqual([
    'attachmentList[0].name refused-type',
    'attachmentList[1].content empty',
    'attachmentList[1].name empty',
    'attachmentList[2].content wrong-type',
    'attachmentList[2].name missing',
    'attachmentList[3] wrong-type',
    'attachmentList[4].content invalid-base64',
    'attachmentList[4].name invalid-name',
  ]);
  expect(JSON.stringify(read)).not.toContain('planted');
});

it('emailReader accepts 20 files and 7 MiB; 413 refuses more, or 400 with other faults (E1, E6)', () => {
  expect(readEmail({ attachmentList: files(20) }).kind).toBe('valid');
  expect(faultsOf(readEmail({ attachmentList: files(21), receiver: 'x' }))).toEqual([
    'attachmentList too-many-items',
    'receiver invalid-address',
  ]);
  const { attachmentBytes } = NOTIFICATION_LIMITS;
  const half = file(Buffer.alloc(attachmentBytes / 2, 'x'));
  expect(readEmail({ attachmentList: [half, half] }).kind).toBe('valid');
  const beyond = readEmail({ attachmentList: [half, half, file('x')] });
  expect(faultsOf(beyond)).toEqual(['attachmentList[2].content attachment-too-large']);
  expect(problemOf(beyond)).toBe('attachments-too-large');
  const alone = readEmail({ attachmentList: [file(Buffer.alloc(attachmentBytes + 3))] });
  expect(faultsOf(alone)).toEqual(['attachmentList[0].content attachment-too-large']);
  expect(problemOf(readEmail({ attachmentList: [half, half, file('x')], subject: 5 }))).toBe(
    'invalid-request',
  );
});

it('emailReader read() also checks the content of files', async () => {
  const attachmentList = [file('MZ\u0000\u0001', 'a.pdf'), file('x')];
  const read = await emailReader.read({ ...EMAIL, subject: '', attachmentList }, READING);
  expect(faultsOf(read)).toEqual(['subject empty', 'attachmentList[0].content refused-type']);
  expect(await emailReader.read({ ...EMAIL, attachmentList: [file('x')] }, READING)).toMatchObject({
    kind: 'valid',
  });
  expect(emailReader.read(EMAIL, READING)).not.toBeInstanceOf(Promise);
});

it.each(NOTIFICATIONS)(
  'the example of $name is valid, without warnings',
  async ({ channelNumber, example }) => {
    const reader = channelNumber === '1' ? smsReader : emailReader;
    expect(await reader.read(example, READING)).toMatchObject({ kind: 'valid', warnings: [] });
  },
);

it('a notification reads its category, sendAt and template, which takes the place of its texts (N9, N11)', () => {
  const template = { name: 'payment-reminder', fields: { name: 'Ana' } };
  const { message: _, ...noText } = SMS;
  const sendAt = '2026-05-01T09:30:00+03:00';
  const nowMs = Date.parse('2026-04-24T06:30:00Z');
  const options = { category: 'campaign', sendAt, template };
  expect(readSms({ ...noText, ...options }, { ...READING, nowMs })).toMatchObject({
    kind: 'valid',
    payload: { category: 'campaign', sendAt: nowMs + 7 * 86_400_000, template, message: '' },
    warnings: [],
  });
  const early = { ...READING, nowMs: nowMs - 1 };
  expect(problemOf(readSms({ ...SMS, sendAt }, early))).toBe('invalid-request');
  expect(faultsOf(readSms({ ...SMS, sendAt }, early))).toEqual(['sendAt too-far-ahead']);
  for (const wrong of ['2026-05-01', '2026-05-01T09:30:00', '2026-02-30T09:30:00Z', '2026-05-01T25:00:00Z'])
    expect(faultsOf(readSms({ ...SMS, sendAt: wrong }))).toEqual(['sendAt invalid-date']);
  expect(faultsOf(readSms({ ...SMS, template, category: 'news' }))).toEqual([
    'message mutually-exclusive',
    'category unknown-value',
  ]);
  expect(faultsOf(readEmail({ template, contentType: 'text/html' }))).toEqual(
    ['message', 'subject', 'contentType'].map((name) => `${name} mutually-exclusive`),
  );
  expect(faultsOf(readSms({ ...noText, template: { fields: { name: 5 } } }))).toEqual([
    'template.name missing',
    'template.fields.name wrong-type',
  ]);
});
