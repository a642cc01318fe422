import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEPT_MESSAGES, openSentMessages } from '../../../../shared/notification/sent-messages.ts';
import { createSentMessagesProvider } from '../../../../workers/notification/providers/sent-messages-provider.ts';
import { NEVER, outboundEmail, outboundSms } from '../../../support/builders/outbound-messages.ts';

const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);
let base = '';
let folder = '';
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'outbox-'));
  folder = path.join(base, 'var', 'outbox');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const provider = (channel: 'sms' | 'email', at = folder) =>
  createSentMessagesProvider({ name: 'outbox', channel, folder: at }, { clock: { now: () => NOW } });

describe('the outbox provider', () => {
  it('writes an e-mail as it would be sent', async () => {
    const message = outboundEmail({
      subject: 'Extras – mai',
      bcc: ['archive@example.net'],
      attachments: [{ name: 'a.pdf', content: Buffer.from('%PDF-1.7 …') }],
    });
    const sent = { kind: 'sent', providerMessageId: message.id };
    expect(await provider('email').send(message, NEVER)).toEqual(sent);
    const file = path.join(folder, `${message.id}.eml`);
    const mime = await PostalMime.parse(readFileSync(file));
    expect(mime).toMatchObject({ subject: 'Extras – mai', messageId: `<${message.id}@example.org>` });
    expect(mime.text?.trim()).toBe('The statement for May is ready.');
    expect(mime.attachments).toMatchObject([{ filename: 'a.pdf', mimeType: 'application/pdf' }]);
    expect(readFileSync(file, 'latin1')).not.toContain('archive@');
    // Only the current user may read it.
    expect([folder, file].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual([`${message.id}.eml`]);
  });

  it('writes an SMS as text with sender and receiver', async () => {
    const message = outboundSms({ message: 'Cod ș\nA doua linie', sender: 'Bank\nTo: other' });
    await provider('sms').send(message, NEVER);
    expect(readFileSync(path.join(folder, `${message.id}.txt`), 'utf8')).toBe(
      'From: Bank To: other\nTo: +40722123456\nDate: Tue, 06 May 2031 07:08:09 GMT\n\nCod ș\nA doua linie\n',
    );
  });

  it('is misconfigured when its folder cannot be written', async () => {
    writeFileSync(path.join(base, 'taken'), '');
    const misconfigured = { kind: 'misconfigured', code: 'outbox-not-writable' };
    const at = (...below: readonly string[]) => path.join(base, 'taken', ...below);
    expect(await provider('email', at()).send(outboundEmail(), NEVER)).toEqual(misconfigured);
    expect(await provider('sms', at('below')).send(outboundSms(), NEVER)).toEqual(misconfigured);
  });

  it('rejects lists of addresses', async () => {
    const list = outboundEmail({ receiver: 'a@example.net, b@example.net' });
    const refused = { kind: 'permanent', code: 'receiver-invalid' };
    expect(await provider('email').send(list, NEVER)).toEqual(refused);
  });
});

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

describe('the outbox folder', () => {
  it('lists the newest first with sender, receiver and subject', async () => {
    const outbox = openSentMessages(folder);
    expect(await outbox.list(10)).toEqual([]);
    const subject = `Plată ${'foarte '.repeat(20)}lungă`;
    const email = outboundEmail({ subject, sender: 'Banca Ță <b@example.org>' });
    const sms = outboundSms();
    await provider('email').send(email, NEVER);
    await provider('sms').send(sms, NEVER);
    utimesSync(path.join(folder, `${email.id}.eml`), 1_000, 1_000);
    utimesSync(path.join(folder, `${sms.id}.txt`), 2_000, 2_000);
    const { sender, receiver } = sms;
    expect(await outbox.list(10)).toMatchObject([
      { id: sms.id, channel: 'sms', writtenAt: 2_000_000, sender, receiver, subject: '' },
      { id: email.id, channel: 'email', sender: 'Banca Ță <b@example.org>', subject: email.subject },
    ]);
    expect(await outbox.list(1)).toHaveLength(1);
  });

  it('reads a message by its id', async () => {
    const outbox = openSentMessages(folder);
    await outbox.write(id(1), 'email', Buffer.from('Subject: x\n\nbody'));
    await outbox.write(id(2), 'sms', Buffer.from('To: y\n\nș'));
    const content = Buffer.from('Subject: x\n\nbody');
    const read = { id: id(1), channel: 'email', contentType: 'message/rfc822', content };
    expect(await outbox.read(id(1))).toEqual(read);
    expect(await outbox.read(id(2))).toMatchObject({ contentType: 'text/plain; charset=utf-8' });
    expect(await outbox.read(id(3))).toBeUndefined();
  });

  const WRONG = ['../secret', '..', '', '/etc/passwd', '0'.repeat(36), `${id(1)}.eml/..`];
  it.each(WRONG)('rejects the id %j', async (wrong) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, '..', 'secret.eml'), 'secret');
    const outbox = openSentMessages(folder);
    expect(await outbox.read(wrong)).toBeUndefined();
    await expect(outbox.write(wrong, 'email', Buffer.from('x'))).rejects.toThrow('UUID');
  });

  it('ignores links and other files', async () => {
    const outbox = openSentMessages(folder);
    await outbox.write(id(1), 'email', Buffer.from('Subject: mine\n\n'));
    writeFileSync(path.join(base, 'secret'), 'Subject: secret\n\n');
    symlinkSync(path.join(base, 'secret'), path.join(folder, `${id(2)}.eml`));
    writeFileSync(path.join(folder, 'notes.txt'), 'not mine');
    expect((await outbox.list(10)).map((item) => item.subject)).toEqual(['mine']);
    expect(await outbox.read(id(2))).toBeUndefined();
  });

  it('keeps the newest thousand messages', async () => {
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < KEPT_MESSAGES + 30; number += 1) {
      const file = path.join(folder, `${id(number)}.txt`);
      writeFileSync(file, 'To: x\n\ny');
      utimesSync(file, number, number);
    }
    const outbox = openSentMessages(folder);
    await outbox.write(id(999_999), 'sms', Buffer.from('To: z\n\n'));
    expect(readdirSync(folder)).toHaveLength(KEPT_MESSAGES);
    expect(await outbox.read(id(30))).toBeUndefined();
    expect(await outbox.read(id(31))).toBeDefined();
    expect(await outbox.read(id(999_999))).toBeDefined();
  });
});
