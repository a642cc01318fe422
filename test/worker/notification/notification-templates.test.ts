import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { SmsCommand } from '../../../shared/notification/notification-command.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { exampleJson, recordFrom } from '../../support/builders/catalogue-entries.ts';
import {
  commandsOf,
  idOf as acceptedId,
  send,
  SMS as BODY,
} from '../../support/builders/notification-call.ts';
import { transient } from '../../support/fakes/scripted-providers.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { CATALOGUE_TOPIC } from '../../support/worlds/catalogue-world.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { idOf, notificationWorld, redriven, SMS } from '../../support/worlds/notification-world.ts';

const KIND = 'notification-template';
const FIELDS = { name: 'Ana', product: 'Loan' };
const JSON_SMS = { [HEADER.messageType]: 'SendSmsCommand', [HEADER.contentType]: 'application/json' };
const TEXT = 'Loan: your application was approved. ';

const command = (number: number, use: object) => ({
  key: `key-${number}`,
  headers: JSON_SMS,
  value: Buffer.from(JSON.stringify({ receiver: BODY.receiver, notificationId: idOf(number), ...use })),
});

/** Publishes the example template with this end of its English SMS. */
async function publish(broker: Broker, version: number, end: string): Promise<void> {
  const json = exampleJson(KIND, 'LOAN-APPROVED');
  json.Sms[0].Message += end;
  const Id = json.Id.replace(/.$/, String(version));
  const record = recordFrom(KIND, { ...json, Version: version, Id });
  await changesOf(broker, CATALOGUE_TOPIC)({ put: [record] });
}

it('an upstream command is filled in once: its retries have the text of the first attempt (N9)', async () => {
  const world = await notificationWorld();
  await publish(world.broker, 1, '1');
  const texts: string[] = [];
  world.providers.add('only').answer = async ({ id, message }) => {
    texts.push(`${id === idOf(1) ? 'first' : 'second'} ${message}`);
    if (texts.length > 1) return { kind: 'sent', providerMessageId: undefined };
    await publish(world.broker, 2, '2');
    return transient('busy');
  };
  await world.worker();
  const template = { name: 'loan-approved', fields: FIELDS };
  await world.publish(SMS, command(1, { template }));
  await expect.poll(() => world.states.get(idOf(1))?.status, { timeout: 5_000 }).toBe('sent');
  await world.publish(SMS, command(1, { template }));
  await world.publish(SMS, command(2, { template }));
  await expect.poll(() => world.states.get(idOf(2))?.status).toBe('sent');
  expect(texts).toEqual([`first ${TEXT}1`, `first ${TEXT}1`, `second ${TEXT}2`]);
  await world.publish(SMS, command(3, { template: { name: 'loan-approved', fields: { nam: 'x' } } }));
  await world.sms({
    id: idOf(4),
    message: 'text',
    key: 'key-4',
    template: { name: 'loan-approved', language: undefined, fields: FIELDS },
  });
  await expect
    .poll(() => world.deadLetters.map(({ headers }) => headerText(headers, HEADER.deadLetterCode)))
    .toEqual(['invalid-request', 'invalid-request']);
  expect(texts).toHaveLength(3);
});

it('a command that was refused for its template is sent by a redrive once the catalogue has it', async () => {
  const world = await notificationWorld();
  world.providers.add('only', { channel: 'email' });
  await world.worker();
  const template = { name: 'loan-approved', language: 'ro', fields: FIELDS };
  await world.email({ id: idOf(1), message: '', subject: '', template });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  const [letter] = world.deadLetters;
  await publish(world.broker, 1, '');
  await expect
    .poll(async () => {
      const again = { key: 'a', value: letter?.value ?? null, headers: redriven(2) };
      await world.publish(TOPIC.emailCommands, again);
      return world.states.get(idOf(1))?.status;
    })
    .toBe('sent');
  const { message } = world.providers.calls[0] ?? {};
  expect(message).toMatchObject({ subject: 'Loan: aprobat', contentType: 'text/plain', template: undefined });
});

it('the ingress fills in a template, lists all its faults, and knows a repeat after the template changed', async () => {
  const broker = await createSharedBroker(1);
  await publish(broker, 1, '1');
  const { url } = await startOn(broker, startIngressWorker);
  const headers = { 'idempotency-key': 'a' };
  const body = { receiver: BODY.receiver, template: { name: 'LOAN-APPROVED', fields: FIELDS } };
  const id = await acceptedId(send(url, 'sms', body, { headers }));
  const refused = await send(url, 'sms', {
    receiver: '1',
    template: { name: 'loan-approved', language: 'de', fields: { x: 'y' } },
  });
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as { errors: { path: string }[] }).errors.map(({ path }) => path)).toEqual([
    'receiver',
    'template.language',
    'template.fields.name',
    'template.fields.product',
    'template.fields.x',
  ]);
  await publish(broker, 2, '2');
  const texts = async () =>
    (await commandsOf(broker, 'sms')).map(({ payload }) => (payload as SmsCommand).message);
  await expect
    .poll(async () => {
      await acceptedId(send(url, 'sms', body));
      return (await texts()).at(-1);
    })
    .toBe(`${TEXT}2`);
  expect(await acceptedId(send(url, 'sms', body, { headers }))).toBe(id);
  const other = { ...body, template: { ...body.template, fields: { ...FIELDS, note: 'now' } } };
  expect((await send(url, 'sms', other, { headers })).status).toBe(409);
  const [first] = await commandsOf(broker, 'sms');
  expect(first?.payload).toMatchObject({ message: `${TEXT}1`, template: undefined });
});

it('a notification with a template is refused while the catalogue cannot be read', async () => {
  const broker = await createSharedBroker(1);
  const { admin } = broker;
  const partitionCounts: typeof admin.partitionCounts = async (topics) =>
    topics.includes(CATALOGUE_TOPIC) ? new Map() : admin.partitionCounts(topics);
  const { url } = await startOn({ ...broker, admin: { ...admin, partitionCounts } }, startIngressWorker);
  const body = { receiver: BODY.receiver, template: { name: 'LOAN-APPROVED', fields: FIELDS } };
  const refused = await send(url, 'sms', body);
  expect(await refused.json()).toMatchObject({ status: 503, code: 'not-ready' });
  await acceptedId(send(url, 'sms', BODY));
});
