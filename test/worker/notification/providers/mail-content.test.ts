import { generateKeyPairSync } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../../shared/notification/notification-command.ts';
import type { Provider } from '../../../../shared/notification/provider.ts';
import {
  type SmtpSettings,
  createSmtpProvider,
} from '../../../../workers/notification/providers/smtp-provider.ts';
import { checkSignatures } from '../../../support/dkim-signatures.ts';
import { NEVER, outboundEmail } from '../../../support/builders/outbound-messages.ts';
import { smtpSettingsOf } from '../../../support/builders/provider-entry.ts';
import { type ReceivedMail, startSmtpSink } from '../../../support/fakes/smtp-sink.ts';

const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const DKIM = {
  domainName: 'example.org',
  keySelector: 's1',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

const sink = await startSmtpSink();
afterAll(() => sink.close());

function providerFor(port: number, settings: Partial<SmtpSettings> = {}): Provider {
  return createSmtpProvider(smtpSettingsOf(port, settings), { clock: { now: () => NOW } });
}

async function delivered(
  message: Outbound,
  settings: Partial<SmtpSettings> = {},
): Promise<ReceivedMail & { readonly mime: Email; readonly head: string }> {
  const provider = providerFor(sink.port, settings);
  try {
    expect(await provider.send(message, NEVER)).toMatchObject({ kind: 'sent' });
  } finally {
    await provider.close();
  }
  const mail = sink.mails.at(-1);
  if (mail === undefined) throw new Error('no mail was received');
  const text = mail.raw.toString('utf8');
  return { ...mail, mime: await PostalMime.parse(mail.raw), head: text.slice(0, text.indexOf('\r\n\r\n')) };
}

function verify(raw: Buffer): { result: string; signed: readonly string[] } {
  const record = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const [first, ...others] = checkSignatures(raw, record);
  expect(others).toEqual([]);
  if (first === undefined) return { result: 'none', signed: [] };
  expect(first.keyName).toBe('s1._domainkey.example.org');
  return first;
}

describe('an e-mail', () => {
  it('has sender, receiver, subject, text and date, and its id as Message-ID', async () => {
    const subject = 'Extras de cont – mai';
    const message = outboundEmail({ subject, message: 'Bună ziua,\n\nextrasul e gata.\n' });
    const { mime, raw } = await delivered(message);
    expect(mime).toMatchObject({
      from: { address: 'bank@example.org' },
      to: [{ address: 'ana@example.net' }],
      subject,
      messageId: `<${message.id}@example.org>`,
      date: '2031-05-06T07:08:09.000Z',
    });
    expect(mime.text?.trimEnd()).toBe('Bună ziua,\n\nextrasul e gata.');
    expect(mime.html).toBeUndefined();
    expect(raw.toString('latin1')).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw.toString('latin1')).not.toMatch(/list-unsubscribe/i);
  });

  it('preserves lines that start with dots and long lines', async () => {
    const message = `.\n..\n.hidden\n${'long '.repeat(400)}\nFrom here\n`;
    const { mime } = await delivered(outboundEmail({ message }));
    expect(mime.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(message.trimEnd());
  });

  it('contains attachments byte for byte, with types detected by content first, then by name', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const elf = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(56)]);
    const binary = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    const files = [
      ['poză.png', 'image/png', png],
      ['invoice.pdf', 'application/x-elf', elf],
      ['rows.csv', 'text/csv', Buffer.from('a,b;1,2')],
      ['noname', 'application/octet-stream', binary],
      ['empty.txt', 'text/plain', Buffer.alloc(0)],
    ] as const;
    const attachments = files.map(([name, , content]) => ({ name, content }));
    const { mime } = await delivered(outboundEmail({ attachments }));
    for (const [index, [filename, mimeType, content]] of files.entries()) {
      const seen = mime.attachments[index];
      expect(seen).toMatchObject({ filename, mimeType, disposition: 'attachment' });
      expect(Buffer.from(seen?.content as ArrayBuffer)).toEqual(content);
    }
    expect(mime.attachments).toHaveLength(files.length);
  });
});

const linesOf = (raw: Buffer) => raw.toString('latin1').split('\r\n');
const longestLine = (raw: Buffer) => Math.max(...linesOf(raw).map(({ length }) => length));

describe('the text of an e-mail reaches the reader as it was sent', () => {
  const TEXTS = [
    '=?UTF-8?X?no?=',
    'x'.repeat(900),
    `${'x'.repeat(500)} ${'y'.repeat(497)}`,
    `a${' '.repeat(200)}b`,
    'ț'.repeat(499),
    '\u{1f600}'.repeat(249),
  ];

  it.each(TEXTS)('as subject: case %#', async (subject) => {
    const { mime, raw } = await delivered(outboundEmail({ subject }));
    expect(mime.subject).toBe(subject);
    expect(longestLine(raw)).toBeLessThanOrEqual(998);
  });

  it.each(TEXTS)('as display name: case %#', async (name) => {
    const defaultSender = `${name} <no-reply@bank.example>`;
    const { mime, raw } = await delivered(outboundEmail({ sender: undefined }), { defaultSender });
    expect(mime.from).toMatchObject({ name, address: 'no-reply@bank.example' });
    expect(longestLine(raw)).toBeLessThanOrEqual(998);
  });

  it.each(['x', 'ț'])('as a long name of a file: %s', async (letter) => {
    const name = `${letter.repeat(251)}.txt`;
    const attachments = [{ name, content: Buffer.from('a') }];
    const { mime, raw } = await delivered(outboundEmail({ attachments }));
    expect(mime.attachments).toMatchObject([{ filename: name, mimeType: 'text/plain' }]);
    expect(longestLine(raw)).toBeLessThanOrEqual(998);
  });

  it.each(['text/plain', 'text/html'] as const)('with all line ends as CRLF: %s', async (contentType) => {
    const message = 'one\rtwo\r\nthree\nfour\r\rfive\n\nsix\r\n\rseven';
    for (const settings of [{}, { dkim: DKIM }]) {
      const { raw } = await delivered(outboundEmail({ message, contentType }), settings);
      const text = raw.toString();
      const body = text.slice(text.indexOf('\r\n\r\n') + 4).trimEnd();
      expect(body).toBe('one\r\ntwo\r\nthree\r\nfour\r\n\r\nfive\r\n\r\nsix\r\n\r\nseven');
    }
  });

  it.each(['x', 'ț', 'a='])('with lines of any length: %s', async (letter) => {
    const message = `${letter.repeat(3_000)}\rend`;
    for (const contentType of ['text/plain', 'text/html'] as const) {
      for (const settings of [{}, { dkim: DKIM }]) {
        const { mime, raw } = await delivered(outboundEmail({ message, contentType }), settings);
        const text = contentType === 'text/html' ? mime.html : mime.text;
        expect(text?.trimEnd().replaceAll('\r\n', '\n')).toBe(`${letter.repeat(3_000)}\nend`);
        expect(longestLine(raw)).toBeLessThanOrEqual(998);
      }
    }
  });
});

describe('header injection', () => {
  const INJECTED = 'x\r\nBcc: victim@example.com\r\nX-Evil: 1\r\n\r\nbody';

  it('is impossible in a subject', async () => {
    const { mime, to, head } = await delivered(outboundEmail({ subject: INJECTED }));
    expect(head).not.toMatch(/^(?:bcc|x-evil):/im);
    expect(to).toEqual(['ana@example.net']);
    expect(mime.text?.trim()).toBe('The statement for May is ready.');
    expect(mime.subject).toContain('Bcc: victim@example.com');
  });

  it.each(['\u0000', '\u000b', '\u0085', '\u2028', '\u2029', '\r', '\n', '\r\nBcc: v@example.com\r\n'])(
    'is impossible with the separator %j in a subject and in a file name',
    async (separator) => {
      const text = `a${separator}X-Evil: 1`;
      const attachments = [{ name: `${text}".txt`, content: Buffer.from('x') }];
      const { raw, mime } = await delivered(outboundEmail({ subject: text, attachments }));
      expect(raw.toString('latin1')).not.toMatch(/^(?:bcc|x-evil):/im);
      expect(mime.headers.map(({ key }) => key)).not.toContain('x-evil');
      expect(mime.attachments).toHaveLength(1);
    },
  );

  it('does not read files or URLs that a message names', async () => {
    const pathObject = { path: '/etc/hostname' } as unknown as string;
    const { mime } = await delivered(outboundEmail({ message: 'file:///etc/hostname' }));
    expect(mime.text?.trim()).toBe('file:///etc/hostname');
    const before = sink.bodies.length;
    const provider = providerFor(sink.port);
    const result = await provider.send(outboundEmail({ message: pathObject }), NEVER);
    expect(result.kind).not.toBe('sent');
    expect(sink.bodies).toHaveLength(before);
    await provider.close();
  });
});

describe('DKIM', () => {
  it('signs a message with attachments so that its receiver can verify it', async () => {
    const attachments = [{ name: 'a.bin', content: Buffer.alloc(50_000, 3) }];
    const message = outboundEmail({ subject: 'Plată ✓', cc: ['copy@example.net'], attachments });
    const { raw } = await delivered(message, { dkim: DKIM });
    const { result, signed } = verify(raw);
    expect(result).toBe('pass');
    const all = ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'content-type'];
    expect(signed).toEqual(expect.arrayContaining(all));
  });

  it('signs body and subject, so that a change to either invalidates the signature', async () => {
    const { raw } = await delivered(outboundEmail(), { dkim: DKIM });
    for (const [found, changed] of [
      ['ready', 'reedy'],
      ['Your statement', 'My statement'],
    ] as const) {
      const other = raw.toString('latin1').replace(found, changed);
      expect(verify(Buffer.from(other, 'latin1')).result).not.toBe('pass');
    }
  });

  it('signs both headers of one-click unsubscription, each on one line (RFC 8058)', async () => {
    const unsubscribeUrl = `https://bank.example/unsubscribe/${'a'.repeat(120)}`;
    const { raw, head } = await delivered({ ...outboundEmail(), unsubscribeUrl }, { dkim: DKIM });
    const { result, signed } = verify(raw);
    expect(result).toBe('pass');
    expect(signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
    const lines = head.split('\r\n');
    expect(lines).toContain(`List-Unsubscribe: <${unsubscribeUrl}>`);
    expect(lines).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  });
});
