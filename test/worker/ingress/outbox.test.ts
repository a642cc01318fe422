import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { openOutboxFolder, type OutboxFolder } from '../../../shared/notification/outbox-folder.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { openTestIngress } from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const EVIL = '<script>alert(1)</script>"\'&';

/** An e-mail as the system writes it. */
async function mail(options: object): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({
    from: 'a@bank.example',
    to: 'ana@mail.example',
    ...options,
  });
  return message as unknown as Buffer;
}

async function outbox(): Promise<OutboxFolder & { folder: string }> {
  const folder = path.join(scratchFolder(), 'outbox');
  await mkdir(folder);
  return { folder, ...openOutboxFolder(folder) };
}

async function pagesOf(written: Buffer, channel: 'sms' | 'email' = 'email', basePath = '') {
  const folder = await outbox();
  await folder.write(ID, channel, written);
  const { url } = await openTestIngress({ outbox: folder, options: { basePath } });
  const get = async (at: string) => {
    const response = await fetch(url + at);
    return { response, text: await response.text() };
  };
  return { list: await get('/outbox'), message: await get(`/outbox/${ID}`), get };
}

describe('the page of the local outbox', () => {
  it('lists messages, and shows a message as text with the names of its attachments', async () => {
    const html = '<h1>Ofertă</h1><p>Hello</p>';
    const attachments = [{ filename: 'ofertă.pdf', content: Buffer.from('%PDF-1.7') }];
    const written = await mail({ subject: 'Ofertă nouă', html, attachments });
    const { list, message, get } = await pagesOf(written, 'email', '/bank');
    expect(list.text).toContain(`<a href="/bank/outbox/${ID}">Ofertă nouă</a>`);
    expect(list.text).toContain('ana@mail.example');
    expect(message.text).toContain('&lt;h1&gt;Ofertă&lt;/h1&gt;');
    expect(message.text).not.toContain('<h1>Ofertă');
    expect(message.text).toContain('Files: ofertă.pdf');
    expect(message.text).toContain('>Ofertă nouă</td>');
    const { response, text } = await get(`/outbox/${ID}/message.eml`);
    expect(text).toBe(written.toString());
    expect(response.headers.get('content-type')).toBe('message/rfc822');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${ID}.eml"`);
  });

  it('lists the subject after the addresses of 50 recipients of maximum length', async () => {
    const cc = Array.from({ length: 49 }, (_, index) => `n${index}@${'long.'.repeat(47)}example`);
    const written = await mail({ cc, subject: 'ă'.repeat(499), text: 'Hello' });
    expect((await pagesOf(written)).list.text).toContain('ă'.repeat(499));
    const endless = Buffer.from(`X: ${'x'.repeat(100_000)}\nSubject: hidden\n\nHello`);
    expect((await pagesOf(endless)).list.text).not.toContain('hidden');
  });

  it('shows an SMS', async () => {
    const { list, message } = await pagesOf(
      Buffer.from('From: MyBank\nTo: +40722123456\n\nCode 4711'),
      'sms',
    );
    expect(list.text).toContain('+40722123456');
    expect(message.text).toContain('Code 4711');
    expect(message.text).not.toContain('message.eml');
  });

  it('escapes message texts, and does not load or run anything', async () => {
    const written = await mail({
      subject: EVIL,
      text: `${EVIL}\n<img src=x onerror=alert(1)>`,
      attachments: [{ filename: `${EVIL}.txt`, content: 'x' }],
    });
    const { list, message, get } = await pagesOf(written);
    for (const { response, text } of [list, message]) {
      expect(text).not.toMatch(/<(script|img|iframe|link|object|form)\b/i);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(policy).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(message.text).toContain('&lt;script&gt;');
    expect(
      (await get(`/outbox/${ID}/message.eml`)).response.headers.get('content-security-policy'),
    ).toContain("default-src 'none'");
  });

  it.each(['x', '%2e%2e%2fsecret', `${ID}.txt`, '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c60'])(
    'returns 404 for %s',
    async (id) => {
      const folder = await outbox();
      await writeFile(path.join(path.dirname(folder.folder), 'secret.txt'), 'planted');
      const { url } = await openTestIngress({ outbox: folder });
      for (const address of [`/outbox/${id}`, `/outbox/${id}/message.eml`])
        expect((await fetch(url + address)).status).toBe(404);
    },
  );

  it('is read-only', async () => {
    const { url } = await openTestIngress({ outbox: await outbox() });
    expect((await fetch(`${url}/outbox`)).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await fetch(`${url}/outbox`, { method })).status).toBe(405);
      expect((await fetch(`${url}/outbox/${ID}`, { method })).status).toBe(405);
    }
  });

  it('requires a token if access control is on, and does not exist if there is a provider configuration', async () => {
    const folder = scratchFolder();
    const broker = await createSharedBroker(1);
    const guarded = await startOn(broker, startIngressWorker, {
      AUTH_JWT_SECRET: JWT_SECRET,
      DATA_DIR: scratchFolder(),
    });
    expect((await fetch(`${guarded.url}/outbox`)).status).toBe(401);
    const headers = await authorize('ana');
    for (const page of ['', `/${ID}`, `/${ID}/message.eml`]) {
      const refused = await fetch(`${guarded.url}/outbox${page}`, { headers });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        detail: 'The access token does not have the scope operations:read.',
      });
    }
    const reader = await authorize('ana', 'operations:read');
    expect((await fetch(`${guarded.url}/outbox`, { headers: reader })).status).toBe(200);
    const open = await startOn(broker, startIngressWorker, { DATA_DIR: scratchFolder() });
    expect((await fetch(`${open.url}/outbox`)).status).toBe(200);
    const file = path.join(folder, 'providers.json');
    await writeFile(file, '{"notificationConfigurations": []}');
    const configured = await startOn(broker, startIngressWorker, {
      NOTIFICATION_CONFIG_FILE: file,
      DATA_DIR: scratchFolder(),
    });
    const answer = await fetch(`${configured.url}/outbox`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'not-found',
      detail: expect.stringMatching(
        /embedded broker without a provider configuration.*NOTIFICATION_CONFIG_FILE/,
      ) as string,
    });
  });
});
