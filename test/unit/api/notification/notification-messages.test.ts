import { readState } from '../../../../shared/api/notification/state-record.ts';
import { expect, it } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { checkCommand } from '../../../../shared/api/notification/read-command.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { renderNotification } from '../../../../shared/api/notification/answers.ts';
import examples from '../../../../shared/api/notification/examples.json' with { type: 'json' };
import { createMessageCodec } from '../../../../shared/messaging/codec/message-codec.ts';
import type { EmailCommand, SmsCommand } from '../../../../shared/notification/notification-command.ts';
import type {
  NotificationAcceptance,
  NotificationState,
} from '../../../../shared/notification/notification-state.ts';
import { createCommandProofs } from '../../../../shared/notification/command-proof.ts';
import { systemClock } from '../../../../shared/platform/system-ports.ts';
import type { Decoded } from '../../../../shared/messaging/codec.ts';

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const OPTIONS = {
  category: 'campaign',
  sendAt: 1_800_000_000_000,
  template: { name: 'payment-reminder', language: 'ro', fields: { name: 'Ana' } },
} as const;
const SMS: SmsCommand = { notificationId: ID, sender: undefined, receiver: '+40722123456', message: 'Hello' };
const EMAIL: EmailCommand = {
  notificationId: undefined,
  sender: 'office@bank.example',
  receiver: 'ana@mail.example',
  cc: ['b@mail.example'],
  bcc: [],
  subject: 'News',
  message: '<p>Hello',
  contentType: 'text/html',
  attachments: [{ name: 'a.txt', content: Buffer.from('text') }],
};

async function throughLog(type: string, payload: unknown, format: 'avro' | 'json'): Promise<Decoded> {
  return codec.decode(await codec.encode(type, payload, format));
}
const codesOf = (refused: { readonly faults: readonly { path: string; code: string }[] } | undefined) =>
  refused?.faults.map(({ path, code }) => `${path} ${code}`) ?? [];

const names = (type: string) => {
  const definition = messageDefinition(type);
  const text = definition === undefined ? '{"fields":[]}' : readSchema(definition);
  return (JSON.parse(text) as { fields: { name: string }[] }).fields.map(({ name }) => name).toSorted();
};

it.each(['avro', 'json'] as const)('a command is unchanged after the log as %s', async (format) => {
  expect(await throughLog('SendSmsCommand', SMS, format)).toMatchObject({ format, payload: SMS });
  expect(await throughLog('SendEmailCommand', EMAIL, format)).toMatchObject({ format, payload: EMAIL });
  const campaign = { ...SMS, category: 'campaign' } as const;
  expect(await throughLog('SendSmsCommand', campaign, format)).toMatchObject({ payload: campaign });
});

it.each(['avro', 'json'] as const)(
  'a command with options is unchanged after the log as %s',
  async (format) => {
    const sms = { ...SMS, ...OPTIONS, message: '' };
    expect(await throughLog('SendSmsCommand', sms, format)).toMatchObject({ format, payload: sms });
    const email = {
      ...EMAIL,
      ...OPTIONS,
      cc: [],
      bcc: [],
      message: '',
      subject: '',
      contentType: 'text/plain',
    };
    expect(await throughLog('SendEmailCommand', email, format)).toMatchObject({ format, payload: email });
  },
);

it('the hash of a command counts its options, but not the texts that its template makes', () => {
  const { hash } = createCommandProofs('secret');
  const { template } = OPTIONS;
  const whole: SmsCommand[] = [
    SMS,
    { ...SMS, category: 'campaign' },
    { ...SMS, sendAt: 1 },
    { ...SMS, template },
    { ...SMS, template: { ...template, fields: { name: 'Eva' } } },
  ];
  expect(new Set(whole.map(hash)).size).toBe(whole.length);
  expect(hash({ ...SMS, category: 'transactional' })).toBe(hash(SMS));
  expect(hash({ ...SMS, template, message: '' })).toBe(hash({ ...SMS, template }));
  expect(hash({ ...EMAIL, template, message: '', subject: '' })).toBe(hash({ ...EMAIL, template }));
});

it('the check of a command refuses an unknown category, and a sendAt more than 7 days after it was written', async () => {
  const writtenAtMs = OPTIONS.sendAt - 7 * 86_400_000;
  expect(checkCommand({ ...SMS, sendAt: OPTIONS.sendAt }, writtenAtMs)).toBeUndefined();
  const wrong = { ...OPTIONS, category: 'news' as 'campaign' };
  const faults = ['category unknown-value', 'sendAt too-far-ahead'];
  expect(codesOf(await checkCommand({ ...SMS, ...wrong }, writtenAtMs - 1))).toEqual(faults);
  expect(codesOf(await checkCommand({ ...EMAIL, ...wrong }, writtenAtMs - 1))).toEqual(faults);
});

it('a command in JSON has the fields of the HTTP body and the id, normalised the same way (N4)', () => {
  const body = { receiver: '0040 722 123 456', message: 'x', notificationId: ID.toUpperCase(), extra: 1 };
  expect(MESSAGE_FORMS['SendSmsCommand']?.parse(body)).toMatchObject({
    kind: 'valid',
    payload: { notificationId: ID, receiver: '+40722123456' },
    warnings: [{ code: 'unknown-member', path: 'extra' }],
  });
  expect(MESSAGE_FORMS['SendSmsCommand']?.parse({ ...body, notificationId: 'x' })).toMatchObject({
    kind: 'invalid',
    faults: [
      { path: 'notificationId', code: 'wrong-type' },
      { path: 'extra', code: 'unknown-member' },
    ],
  });
});

it('a command has all fields in Avro, and fits into a Kafka record with 7 MiB of files', async () => {
  const content = Buffer.alloc(7 * 1_024 * 1_024);
  const command = { ...EMAIL, attachments: [{ name: 'a.txt', content }] };
  const { value } = await codec.encode('SendEmailCommand', command, 'avro');
  expect(value.length).toBeLessThan(8 * 1_024 * 1_024 - 65_536);
  expect(names('SendSmsCommand')).toEqual(Object.keys({ ...SMS, ...OPTIONS }).toSorted());
  expect(names('SendEmailCommand')).toEqual(Object.keys({ ...EMAIL, ...OPTIONS }).toSorted());
  expect(names('NotificationAcceptance')).toEqual(Object.keys(examples.acceptanceRecord).toSorted());
});

const withFile = (name: string, content: Buffer = Buffer.from('x')) => ({ attachments: [{ name, content }] });

const [FILE] = withFile('a.txt').attachments as [EmailCommand['attachments'][number]];

it('the check of a command from Avro accepts a normalised command', async () => {
  expect(checkCommand(SMS)).toBeUndefined();
  expect(await checkCommand(EMAIL)).toBeUndefined();
  expect(checkCommand({ ...EMAIL, attachments: [] })).toBeUndefined();
});

it.each<[Partial<SmsCommand>, string]>([
  [{ receiver: '0722123456' }, 'receiver invalid-phone-number'],
  [{ receiver: '+40 722 123 456' }, 'receiver unclean'],
  [{ sender: ' MyBank' }, 'sender unclean'],
  [{ sender: 'a\r\nb' }, 'sender control-character'],
  [{ message: '' }, 'message empty'],
  [{ message: 'x'.repeat(1_601) }, 'message too-long'],
  [{ notificationId: 'x' }, 'notificationId wrong-type'],
  [{ notificationId: ID.toUpperCase() }, 'notificationId wrong-type'],
])('the check of a command from Avro refuses an SMS with %j: %s', async (fields, fault) => {
  expect(codesOf(await checkCommand({ ...SMS, ...fields }))).toEqual([fault]);
});

it('the check of a command from Avro names the first character that is not clean', async () => {
  const refused = await checkCommand({ ...EMAIL, ...withFile('ofert\u0103\u200b.txt') });
  expect(refused?.faults[0]?.message).toContain('U+200B');
});

it.each<[Partial<EmailCommand>, string]>([
  [{ receiver: 'Ana <ana@mail.example>' }, 'receiver invalid-address'],
  [{ cc: ['ok@mail.example', 'x'] }, 'cc[1] invalid-address'],
  [{ bcc: ['a@mail.example, b@mail.example'] }, 'bcc[0] invalid-address'],
  [{ bcc: Array.from({ length: 49 }, () => 'a@mail.example') }, 'bcc too-many-recipients'],
  [{ cc: Array.from({ length: 5_000 }, () => 'x') }, 'cc too-many-recipients'],
  [{ sender: 'a@mail.example\r\nBcc: b@mail.example' }, 'sender control-character'],
  [{ subject: 'a\nb' }, 'subject control-character'],
  [{ message: '' }, 'message empty'],
  [{ contentType: 'text/evil' as 'text/html' }, 'contentType unknown-value'],
  [{ contentType: 'text/html; charset=utf-8' as 'text/html' }, 'contentType unclean'],
  [withFile('a.txt\u200b'), 'attachmentList[0].name unclean'],
  [withFile('a.svg'), 'attachmentList[0].name refused-type'],
  [withFile('../a'), 'attachmentList[0].name invalid-name'],
  [withFile('a.txt', Buffer.alloc(0)), 'attachmentList[0].content empty'],
  [withFile('a.txt', Buffer.alloc(7 * 1_024 * 1_024 + 1)), 'attachmentList[0].content attachment-too-large'],
  [{ attachments: Array.from({ length: 21 }, () => FILE) }, 'attachmentList too-many-items'],
])('the check of a command from Avro refuses an invalid e-mail: case %#', async (fields, fault) => {
  expect(codesOf(await checkCommand({ ...EMAIL, ...fields }))).toEqual([fault]);
});

it('the check accepts 20 files and 50 recipients, and refuses executable files', async () => {
  const attachments = Array.from({ length: 20 }, () => FILE);
  const cc = Array.from({ length: 49 - EMAIL.bcc.length }, () => 'a@mail.example');
  expect(await checkCommand({ ...EMAIL, attachments, cc })).toBeUndefined();
  const refused = await checkCommand({ ...EMAIL, ...withFile('a.pdf', Buffer.from('#!/bin/sh')) });
  expect(codesOf(refused)).toEqual(['attachmentList[0].content refused-type']);
});

it('an acceptance is unchanged after the log, and cannot be read as JSON', async () => {
  const [type, example] = ['NotificationAcceptance', examples.acceptanceRecord];
  expect(await throughLog(type, example, 'avro')).toMatchObject({ payload: example });
  expect(MESSAGE_FORMS[type]?.parse(example)).toMatchObject({ kind: 'invalid' });
});

it.each(['avro', 'json'] as const)('a state is unchanged after the log in %s (N13)', async (format) => {
  const example = examples.stateRecord;
  expect(await throughLog('NotificationState', example, format)).toMatchObject({ format, payload: example });
});

it('a state in JSON with wrong fields is refused with all faults', () => {
  const read = readState({ ...examples.stateRecord, status: 'lost', attempt: 0 });
  expect(read.kind === 'invalid' && read.faults.map(({ path }) => path)).toEqual(['status', 'attempt']);
});

const acceptance = examples.acceptanceRecord as NotificationAcceptance;
const state = { ...examples.stateRecord, owner: 'process', leaseUntil: 5 } as unknown as NotificationState;
const reported = (known: NotificationState | undefined) =>
  JSON.parse(renderNotification(acceptance, { state: known })) as object;

const { notificationId } = acceptance;

it('renderNotification (N3) shows accepted and retrying, and sending as the status before it', () => {
  const updatedAt = '2026-01-15T09:30:00.000Z';
  const accepted = { notificationId, status: 'accepted', channel: 'email', attempts: [], updatedAt };
  expect(reported(undefined)).toEqual(accepted);
  const code = 'smtp-452-4.2.2';
  const at = '2026-01-15T09:30:00.250Z';
  expect(reported(state)).toEqual({
    notificationId,
    status: 'retrying',
    channel: 'email',
    attempts: [{ attempt: 1, at, provider: 'SMTP', result: 'transient', code }],
    updatedAt: '2026-01-15T09:30:00.260Z',
    nextAttemptAt: '2026-01-15T09:30:10.260Z',
    code,
  });
  expect(reported({ ...state, status: 'sending', attempt: 1 })).toMatchObject({ status: 'accepted' });
  const again = reported({ ...state, status: 'sending', attempt: 2 });
  expect(again).toMatchObject({ status: 'retrying' });
  expect(again).not.toHaveProperty('nextAttemptAt');
});

it.each(['sent', 'failed', 'parked'] as const)('renderNotification (N3) shows %s with its code', (status) => {
  expect(reported({ ...state, status })).toMatchObject({ status, code: 'smtp-452-4.2.2' });
});
