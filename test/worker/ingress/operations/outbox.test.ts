import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import { outboxList, outboxMessage } from '../../../../shared/api/operations/notification-lists.ts';
import { openSentMessages } from '../../../../shared/notification/sent-messages.ts';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../../../support/builders/access-token.ts';
import { openTestIngress } from '../../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import { operationsOf } from '../../../support/worlds/operations-calls.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';

async function mail(options: object): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const addresses = { from: 'a@bank.example', to: 'ana@mail.example' };
  const { message } = await transport.sendMail({ ...addresses, ...options });
  return message as unknown as Buffer;
}

async function shown(written: Buffer, channel: 'sms' | 'email' = 'email') {
  const folder = path.join(scratchFolder(), 'outbox');
  await mkdir(folder);
  const outbox = openSentMessages(folder);
  await outbox.write(ID, channel, written);
  await writeFile(path.join(path.dirname(folder), 'secret.txt'), 'planted');
  const { url } = await openTestIngress({ outbox });
  const { get } = operationsOf(url);
  const { body: list } = await get('/outbox');
  return { url, get, list, message: (await get(`/outbox/${ID}`)).body };
}

it('lists and shows an e-mail, with its HTML for a sandboxed frame, to whom has a ticket of this message', async () => {
  const html = '<h1>Ofertă</h1><p>Hello</p>';
  const attachments = [{ filename: 'ofertă.pdf', content: Buffer.from('%PDF-1.7') }];
  const { list, message, url } = await shown(await mail({ subject: 'Ofertă nouă', html, attachments }));
  outboxList.strict().parse(list);
  expect(list).toMatchObject({ messages: [{ id: ID, channel: 'email', subject: 'Ofertă nouă' }] });
  outboxMessage.strict().parse(message);
  expect(message).toMatchObject({
    subject: 'Ofertă nouă',
    receiver: 'ana@mail.example',
    text: expect.stringContaining(html) as string,
    files: ['ofertă.pdf'],
  });
  const address = url + String(message['htmlAddress']);
  const frame = await fetch(address);
  expect(await frame.text()).toContain('<p>Hello</p>');
  const policy = frame.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^sandbox; default-src 'none';/);
  expect(policy).not.toContain('script');
  const other = address.replace(ID, ID.replace('0b', '1b'));
  for (const wrong of [address.replace(/ticket=.*/, ''), address.replace('ticket=1', 'ticket=2'), other]) {
    expect((await fetch(wrong)).status).toBe(403);
  }
});

it('lists the subject after the addresses of 50 recipients of maximum length', async () => {
  const cc = Array.from({ length: 49 }, (_, index) => `n${index}@${'long.'.repeat(47)}example`);
  const written = await mail({ cc, subject: 'ă'.repeat(499), text: 'Hello' });
  expect((await shown(written)).list).toMatchObject({ messages: [{ subject: 'ă'.repeat(499) }] });
  const endless = Buffer.from(`X: ${'x'.repeat(100_000)}\nSubject: hidden\n\nHello`);
  expect((await shown(endless)).list).toMatchObject({ messages: [{ subject: '' }] });
});

it('shows a text without the soft line breaks of quoted-printable', async () => {
  const head = 'Subject: Offer\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n';
  const body = 'Your offer =\r\nis ready, caf=C3=A9 =3D 1';
  const written = Buffer.from(`${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n${body}`);
  const { message } = await shown(written);
  expect(message['text']).toContain('Your offer is ready, café = 1');
});

it('shows an SMS, and no other file', async () => {
  const { message, get } = await shown(Buffer.from('From: MyBank\nTo: +40722123456\n\nCode 4711'), 'sms');
  expect(message).toMatchObject({ receiver: '+40722123456', text: 'Code 4711\n' });
  for (const id of ['x', '%2e%2e%2fsecret', `${ID}.txt`, '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c60'])
    expect([id, (await get(`/outbox/${id}`)).status]).toEqual([id, 404]);
});

it('is read with the scope operations:read if access control is on, and does not exist if there is a provider configuration', async () => {
  const folder = scratchFolder();
  const broker = await createSharedBroker(1);
  const env = { AUTH_JWT_SECRET: JWT_SECRET, DATA_DIR: scratchFolder() };
  const guarded = await startOn(broker, startIngressWorker, env);
  const reader = operationsOf(guarded.url, await authorize('ana', 'operations:read'));
  expect((await reader.get('/outbox')).status).toBe(200);
  const file = path.join(folder, 'providers.json');
  await writeFile(file, '{"notificationConfigurations": []}');
  const settings = { NOTIFICATION_CONFIG_FILE: file, DATA_DIR: scratchFolder() };
  const configured = await startOn(broker, startIngressWorker, settings);
  const { body } = await operationsOf(configured.url).get('/outbox');
  expect(body).toMatchObject({ status: 404, code: 'not-found' });
  expect(body['detail']).toMatch(/without a provider configuration.*NOTIFICATION_CONFIG_FILE/);
});
