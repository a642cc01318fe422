import { describe, expect, it } from 'vitest';
import { maskPayload, showPayload } from '../../../shared/dead-letters/masked-payload.ts';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { deadLetterMessage } from '../../support/worlds/dead-letters.ts';

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
const PLANTED = ['+40722123456', 'ana@example.com', 'hello Ana', 'Your code', 'contract-ana.pdf', 'UEFTUw=='];

const rate = { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [-100, 101] };
const letter = (bytes: Buffer) => deadLetterMessage({ [HEADER.messageType]: undefined }, { value: bytes });

async function encodedRate(): Promise<Buffer> {
  const parsed = MESSAGE_FORMS['CalculateRateRequest']?.parse({ jsonParam: rate });
  if (parsed?.kind !== 'valid') throw new Error('the request is wrong');
  return (await codec.encode('CalculateRateRequest', parsed.payload, 'avro')).value;
}

describe('maskPayload', () => {
  const command = {
    notificationId: 'n-1',
    sender: 'ana@example.com',
    receiver: '+40722123456',
    cc: ['ana@example.com'],
    bcc: ['ana@example.com', ''],
    subject: 'Your code',
    message: 'hello Ana',
    contentType: 'text/plain',
    attachmentList: [{ name: 'contract-ana.pdf', content: 'UEFTUw==' }],
    attachments: [{ name: 'contract-ana.pdf', content: { data: 'UEFTUw==' } }],
  };

  it('replaces addresses, numbers, texts, file names and contents by their lengths', () => {
    const masked = maskPayload(command);
    for (const secret of PLANTED) expect(JSON.stringify(masked)).not.toContain(secret);
    expect(masked).toMatchObject({
      notificationId: 'n-1',
      contentType: 'text/plain',
      receiver: '[masked, 12 characters]',
      cc: ['[masked, 15 characters]'],
      bcc: ['[masked, 15 characters]', ''],
      attachmentList: [{ name: '[masked, 16 characters]', content: '[masked, 8 characters]' }],
    });
  });

  it.each([
    'receiver recipient to sender from replyTo cc bcc phone phoneNumber',
    'email subject message body text html content',
  ])('masks the fields %s', (names) => {
    const fields = (value: string) => Object.fromEntries(names.split(' ').map((name) => [name, value]));
    expect(maskPayload(fields('hello Ana'))).toEqual(fields('[masked, 9 characters]'));
  });

  it('masks fields at any depth and regardless of spelling', () => {
    const masked = maskPayload({ data: [{ Receiver: '+40722123456', 'Phone-Number': 40722123456 }] });
    expect(masked).toEqual({ data: [{ Receiver: '[masked, 12 characters]', 'Phone-Number': '[masked]' }] });
  });

  it('masks the fields of a template, and shows its name', () => {
    const template = { name: 'PAYMENT-REMINDER', fields: { name: 'Ana' } };
    expect(maskPayload({ template })).toEqual({ template: { ...template, fields: '[masked]' } });
  });

  it('keeps amounts, dates, codes, product names and empty values', () => {
    const jsonParam = {
      Amount: 1000,
      name: 'Loan',
      ActivationDate: '2026-01-01',
      EndDate: null,
      message: null,
    };
    expect(maskPayload({ jsonParam })).toEqual({ jsonParam });
  });
});

describe('showPayload', () => {
  it('shows neither an invalid payload of a notification nor undecodable bytes, and explains what is wrong', async () => {
    const broken = deadLetterMessage({}, { value: Buffer.from('{"reciever":"+40722123456"}') });
    const hidden = await showPayload(broken, codec, true);
    expect(JSON.stringify(hidden)).not.toContain('+40722123456');
    expect(hidden.isHidden).toBe(true);
    expect(hidden.notes.join()).toContain('cannot be masked');
    const text = await showPayload(letter(Buffer.from('hello Ana')), codec, false);
    expect(text.content).toBeUndefined();
    expect(text.notes.join()).toContain('neither Avro nor JSON');
  });

  it('renders Avro with the field names of the interface', async () => {
    const value = await encodedRate();
    const shown = { type: 'CalculateRateRequest', format: 'avro', bytes: value.length };
    const expected = { ...shown, content: { jsonParam: rate } };
    expect(await showPayload(letter(value), codec, false)).toMatchObject(expected);
  });
});

describe('showPayload of several requests in one message', () => {
  it('keeps JSON as it was sent, masked, and lists the invalid requests', async () => {
    const secret = { id: 'c-2', jsonParam: { ...rate, subject: 'hello Ana' } };
    const value = Buffer.from(JSON.stringify([{ id: 'c-1', jsonParam: rate }, secret, {}]));
    const message = deadLetterMessage({ [HEADER.messageType]: 'CalculateRateRequest' }, { value });
    const shown = await showPayload(message, codec, false);
    expect(shown).toMatchObject({ type: 'RequestBatch', format: 'json' });
    expect(JSON.stringify(shown)).not.toContain('hello Ana');
    expect(shown.content).toMatchObject([{ id: 'c-1', jsonParam: rate }, { id: 'c-2' }, {}]);
    expect(shown.notes.join()).toMatch(/request 3: .*jsonParam/);
  });

  it('renders Avro with the field names of the interface, and hides undecodable requests', async () => {
    const items = [{ id: 'c-1', value: await encodedRate() }, { value: Buffer.from('hello Ana') }];
    const { value } = await codec.encode('RequestBatch', { items }, 'avro');
    const nested = await codec.encode('RequestBatch', { items: [{ value }] }, 'avro');
    const shown = await showPayload(letter(value), codec, false);
    expect(shown.content).toEqual([{ id: 'c-1', jsonParam: rate }, { unreadable: true }]);
    expect(shown.notes).toEqual([expect.stringContaining('request 2: The message is neither Avro nor JSON')]);
    expect((await showPayload(letter(nested.value), codec, false)).content).toEqual([{ unreadable: true }]);
    const cut = await showPayload(letter(value.subarray(0, -1)), codec, false);
    expect(cut.content).toBeUndefined();
    expect(cut.notes.join()).toContain('does not follow its schema');
  });
});
