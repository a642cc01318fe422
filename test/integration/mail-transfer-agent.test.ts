import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { afterAll, afterEach, expect, it, onTestFailed } from 'vitest';
import type { LocalMta } from '../../scripts/dev/local-mta/start-local-mta.ts';
import type { Provider } from '../../shared/notification/provider.ts';
import type { SmtpSettings } from '../../workers/notification/providers/mail/smtp-provider.ts';
import { createSmtpProvider } from '../../workers/notification/providers/mail/smtp-provider.ts';
import { checkSignatures } from '../support/dkim-signatures.ts';
import { mtaOrSkip } from '../support/mta-suite.ts';
import { NEVER, outboundEmail } from '../support/builders/outbound-messages.ts';
import { smtpSettingsOf } from '../support/builders/provider-entry.ts';
import { selfSigned } from '../support/self-signed-certificate.ts';

const certificate = selfSigned();
const login = { username: 'engine', password: 'a long secret' };
const MESSAGE_LIMIT_BYTES = 300_000;
const DELIVERY_LIMIT_MS = 10_000;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const dkim = {
  domainName: 'example.org',
  keySelector: 's1',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

const { mta, suite } = await mtaOrSkip({ certificate, login, messageLimitBytes: MESSAGE_LIMIT_BYTES });

const open: Provider[] = [];
afterEach(async () => {
  for (const provider of open.splice(0)) await provider.close();
});
afterAll(() => mta?.stop());

function running(): LocalMta {
  if (mta === undefined) throw new Error('the suite is skipped');
  onTestFailed(() => void process.stderr.write(mta.log()));
  return mta;
}

function providerFor(settings: Partial<SmtpSettings> = {}): Provider {
  const defaults = { host: 'localhost', requireTls: true, ...login, maxConnections: 3, dkim };
  const tls = { ca: certificate.cert };
  const provider = createSmtpProvider(
    smtpSettingsOf(running().port, { ...defaults, maxMessages: 50, tls, ...settings }),
    { clock: { now: () => Date.now() } },
  );
  open.push(provider);
  return provider;
}

/** Waits for `count` messages with this text in a user's mailbox. */
async function mailbox(user: string, text: string, count = 1): Promise<Buffer[]> {
  const folder = path.join(running().folder, 'mail', user, 'new');
  const giveUpAt = Date.now() + DELIVERY_LIMIT_MS;
  for (;;) {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const found = names
      .map((name) => readFileSync(path.join(folder, name)))
      .filter((raw) => raw.includes(text));
    if (found.length >= count || Date.now() > giveUpAt) return found;
    await sleep(20);
  }
}

suite('Exim, a real mail server', () => {
  it('delivers a signed message over STARTTLS unchanged to receiver and copies', async () => {
    const attachment = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256));
    const message = outboundEmail({
      subject: 'Extras de cont – mai 2031',
      message: 'Bună ziua,\n.\n..o linie cu puncte\nFrom the bank\n',
      cc: ['copy@example.net'],
      bcc: ['archive@example.net'],
      attachments: [{ name: 'extras ș.bin', content: attachment }],
    });
    const listUnsubscribe = { url: `https://bank.example/${'u'.repeat(100)}?n={id}` };
    expect(await providerFor({ listUnsubscribe }).send(message, NEVER)).toEqual({
      kind: 'sent',
      providerMessageId: `<${message.id}@example.org>`,
    });
    for (const user of ['ana', 'copy', 'archive']) {
      const [raw, ...others] = await mailbox(user, message.id);
      expect(others).toHaveLength(0);
      const mime = await PostalMime.parse(raw ?? '');
      expect(mime.subject).toBe(message.subject);
      expect(mime.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(message.message.trimEnd());
      expect(mime.attachments).toMatchObject([{ filename: 'extras ș.bin' }]);
      expect(Buffer.from(mime.attachments[0]?.content as ArrayBuffer)).toEqual(attachment);
      expect(mime.headers.find(({ key }) => key === 'received')?.value).toContain('esmtpsa');
      const head = raw?.toString('latin1').replace(/^Envelope-to:.*$/m, '') ?? '';
      expect(head).not.toMatch(/archive@/);
    }
  });

  it('delivers valid signatures that cover the headers of one-click unsubscription', async () => {
    const message = outboundEmail({ contentType: 'text/html', message: '<p>Bună ziua</p>' });
    const listUnsubscribe = { url: 'https://bank.example/u?n={id}', mailto: 'unsubscribe@bank.example' };
    await providerFor({ listUnsubscribe }).send(message, NEVER);
    const [raw = Buffer.alloc(0)] = await mailbox('ana', message.id);
    const record = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const received = Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
    const signatures = checkSignatures(received, record);
    expect(signatures.map(({ result }) => result)).toEqual(['pass']);
    expect(signatures[0]?.signed).toContain('list-unsubscribe-post');
  });

  it('is rejected permanently for an unknown user and a foreign domain (550)', async () => {
    const provider = providerFor();
    expect(await provider.send(outboundEmail({ receiver: 'nobody@example.net' }), NEVER)).toEqual({
      kind: 'permanent',
      code: 'smtp-550-5.1.1',
    });
    expect(await provider.send(outboundEmail({ receiver: 'ana@elsewhere.example' }), NEVER)).toEqual({
      kind: 'permanent',
      code: 'smtp-550-5.7.1',
    });
  });

  it('does not deliver copies if the receiver is unknown', async () => {
    const message = outboundEmail({ receiver: 'nobody@example.net', cc: ['copy@example.net'] });
    const provider = providerFor();
    expect(await provider.send(message, NEVER)).toEqual({ kind: 'permanent', code: 'smtp-550-5.1.1' });
    const after = outboundEmail({ receiver: 'copy@example.net' });
    expect(await provider.send(after, NEVER)).toMatchObject({ kind: 'sent' });
    expect(await mailbox('copy', after.id)).toHaveLength(1);
    const folder = path.join(running().folder, 'mail', 'copy', 'new');
    const all = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1'));
    expect(all.filter((raw) => raw.includes(message.id))).toHaveLength(0);
  });

  it('delivers to the receiver if a copy is rejected', async () => {
    const message = outboundEmail({ cc: ['nobody@example.net'] });
    expect(await providerFor().send(message, NEVER)).toMatchObject({
      kind: 'sent',
      code: 'smtp-partial-550-5.1.1',
    });
    expect(await mailbox('ana', message.id)).toHaveLength(1);
  });

  it('is rejected permanently if the message is too large (552)', async () => {
    const content = Buffer.alloc(MESSAGE_LIMIT_BYTES, 1);
    const result = await providerFor().send(
      outboundEmail({ attachments: [{ name: 'a.bin', content }] }),
      NEVER,
    );
    expect(result).toEqual({ kind: 'permanent', code: 'smtp-552' });
  });

  it('is transient for a full mailbox (452)', async () => {
    expect(await providerFor().send(outboundEmail({ receiver: 'full@example.net' }), NEVER)).toEqual({
      kind: 'transient',
      code: 'smtp-452-4.2.2',
      isAboutReceiver: true,
    });
  });

  it('fails transiently if greylisted (450), and is delivered on the retry', async () => {
    const provider = providerFor();
    const message = outboundEmail({ receiver: 'newcomer@example.net' });
    expect(await provider.send(message, NEVER)).toEqual({
      kind: 'transient',
      code: 'smtp-450-4.7.1',
      isAboutReceiver: true,
    });
    expect(await provider.send(message, NEVER)).toMatchObject({ kind: 'sent' });
    expect(await mailbox('newcomer', message.id)).toHaveLength(1);
  });

  it('is misconfigured with a wrong password (535)', async () => {
    const result = await providerFor({ password: 'old' }).send(outboundEmail(), NEVER);
    expect(result).toMatchObject({
      kind: 'misconfigured',
      code: expect.stringMatching(/^smtp-535/) as string,
    });
  });

  it('delivers a hundred messages over three connections, each once', async () => {
    const provider = providerFor();
    const messages = Array.from({ length: 100 }, () => outboundEmail({ subject: 'one of a hundred' }));
    const results = await Promise.all(messages.map((message) => provider.send(message, NEVER)));
    expect(results.every((result) => result.kind === 'sent')).toBe(true);
    const delivered = (await mailbox('ana', 'one of a hundred', messages.length)).map((raw) =>
      raw.toString('latin1'),
    );
    expect(delivered).toHaveLength(messages.length);
    for (const { id } of messages) expect(delivered.filter((raw) => raw.includes(id))).toHaveLength(1);
  });
});
