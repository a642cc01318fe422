import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { createNotificationKeys } from '../../../workers/ingress/notifications/notification-keys.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import { permanent, SENT } from '../../support/fakes/scripted-providers.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import {
  idOf,
  notificationWorld,
  redriven,
  SMS,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';

const SECRET = 'a secret for tests only';
const ENV = { RESULT_ID_SECRET: SECRET };
const OWNER = { subject: 'ana', channel: 'sms', idempotencyKey: 'a' } as const;
const keys = createNotificationKeys(SECRET, () => idOf(9));
const OWN_ID = keys.idOf(OWNER);

const JSON_SMS = { [HEADER.messageType]: 'SendSmsCommand', [HEADER.contentType]: 'application/json' };
const SMS_TEXT = { notificationId: undefined, sender: undefined, receiver: '+40722123456' };
const textOf = (message: string) => ({ ...SMS_TEXT, message });
const proofOf = (id: string, message: string) => ({
  [HEADER.commandProof]: keys.commands.prove(id, keys.commands.hash(textOf(message))),
});
const textsSent = ({ providers }: NotificationWorld) => providers.calls.map(({ message }) => message.message);
const codesOf = (letters: readonly LogMessage[]) =>
  letters.map(({ headers }) => headerText(headers, HEADER.deadLetterCode));
const reasonOf = ([letter]: readonly LogMessage[]) =>
  headerText(letter?.headers ?? {}, HEADER.deadLetterReason);

async function runningWorld(env: Readonly<Record<string, string>> = ENV): Promise<NotificationWorld> {
  const world = await notificationWorld({ env });
  world.providers.add('first');
  await world.worker();
  return world;
}

it('an id of the ingress cannot be derived without the secret, and is the same wherever the secret is', () => {
  expect(createNotificationKeys(SECRET, () => idOf(8)).idOf(OWNER)).toBe(OWN_ID);
  expect(createNotificationKeys('another', () => idOf(8)).idOf(OWNER)).not.toBe(OWN_ID);
  for (const id of [OWN_ID, keys.newId()])
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('an id of the ingress is refused over Kafka to others, and its notification is sent', async () => {
  const world = await runningWorld();
  const own = proofOf(OWN_ID, 'own');
  const headers = { ...JSON_SMS, [HEADER.notificationId]: OWN_ID, [HEADER.attempt]: '2' };
  for (const given of [{}, own, redriven(2, { [HEADER.redriveUnknown]: 'true' }), { ...own, ...redriven(9) }])
    await world.sms({ id: OWN_ID, message: 'foreign', headers: given });
  await world.sms({ message: 'foreign', headers: { [HEADER.notificationId]: OWN_ID } });
  await expect.poll(() => codesOf(world.deadLetters)).toEqual(Array.from({ length: 5 }, () => 'foreign-id'));
  expect(reasonOf(world.deadLetters)).toMatch(/was not sent.*ingress/);
  // Copies that are invalid or cannot be read do not end it either.
  for (const value of ['{"receiver":"1","message":"a"}', '{'])
    await world.publish(SMS, { key: 'a', value: Buffer.from(value), headers });
  await expect.poll(() => world.deadLetters.length).toBe(7);
  expect(world.states.has(OWN_ID)).toBe(false);
  await world.sms({ id: OWN_ID, message: 'own', headers: own });
  await expect.poll(() => world.states.get(OWN_ID)?.status).toBe('sent');
  expect(textsSent(world)).toEqual(['own']);
});

it.each([
  ['sends a foreign command', 'foreign', ['redrive'], ['foreign']],
  ['edits the text of a notification', 'wrong', ['edit', '--set', 'message=right'], ['wrong', 'right']],
])('an operator %s under an id of the ingress', async (_, message, call, texts) => {
  const world = await notificationWorld({ env: ENV });
  world.providers.add('first').answer = (sent) => (sent.message === 'wrong' ? permanent('no') : SENT);
  await world.worker();
  const headers = message === 'wrong' ? proofOf(OWN_ID, message) : {};
  await world.sms({ id: OWN_ID, message, headers });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  const command = await deadLettersOver(world.broker, SECRET);
  await command(...call, '--channel', 'sms', '--reason', 'the secret or the text is another one');
  await expect.poll(() => world.states.get(OWN_ID)?.status).toBe('sent');
  expect(textsSent(world)).toEqual(texts);
  expect(world.deadLetters).toHaveLength(1);
});

it('without a secret no hash of a text is written, and a worker on Kafka warns once of it', async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...args: unknown[]) => void warnings.push(args) } as Log;
  const world = await notificationWorld({ log });
  world.providers.add('first');
  const onKafka = Object.assign(Object.create(world.broker) as Broker, { kind: 'kafka' as const });
  await world.worker({ broker: onKafka });
  const outcomes = await world.collect(TOPIC.notificationOutcomes);
  await world.sms({ id: idOf(1), message: '483920' });
  await expect.poll(() => world.states.get(idOf(1))?.status).toBe('sent');
  expect(outcomes.map(({ headers }) => headers[HEADER.textHash])).toEqual([undefined, undefined]);
  expect(warnings.filter((args) => JSON.stringify(args).includes('RESULT_ID_SECRET'))).toHaveLength(1);
});

it('the same id with another text is reported, by a process that started later too', async () => {
  const world = await notificationWorld({ env: ENV });
  world.providers.add('texts');
  world.providers.add('mails', { channel: 'email' });
  const first = await world.worker();
  await world.email({ id: idOf(1), message: 'one' });
  await world.sms({ id: idOf(2), message: 'two' });
  await expect
    .poll(() => [1, 2].map((number) => world.states.get(idOf(number))?.status))
    .toEqual(['sent', 'sent']);
  await first.stop(1_000);
  await world.worker();
  await world.email({ id: idOf(1), message: 'one' });
  await world.sms({ id: idOf(2), message: 'two', key: 'another' });
  await world.sms({ id: idOf(2), message: 'three' });
  await world.email({ id: idOf(1), message: 'four' });
  await expect.poll(() => codesOf(world.deadLetters)).toEqual(['duplicate-id', 'duplicate-id']);
  expect(reasonOf(world.deadLetters)).toMatch(/this notification was not sent: its id is that of/);
  expect(world.providers.calls).toHaveLength(2);
  expect(await world.metrics.text()).toContain('code="duplicate-id"} 1');
});

it('reports and counts members that a JSON command does not have, and refuses those that differ in case', async () => {
  const world = await runningWorld();
  const outcomes = await world.collect(TOPIC.notificationOutcomes);
  const publish = (more: object) => {
    const command = { notificationId: idOf(1), receiver: '+40722123456', message: 'a', ...more };
    return world.publish(SMS, { key: 'a', value: Buffer.from(JSON.stringify(command)), headers: JSON_SMS });
  };
  await publish({ NotificationId: idOf(2) });
  await expect.poll(() => codesOf(world.deadLetters)).toEqual(['invalid-request']);
  expect(reasonOf(world.deadLetters)).toContain('NotificationId');
  expect(world.providers.calls).toEqual([]);
  await publish({ priority: 'high', delay: 'x' });
  await expect.poll(() => world.states.get(idOf(1))?.status).toBe('sent');
  const warnings = outcomes.map(({ headers }) => headerText(headers, HEADER.warnings));
  const expected = 'unknown-member;priority, unknown-member;delay';
  expect(warnings).toEqual([expected, expected]);
  expect(await world.metrics.text()).toContain('plat_notification_unknown_members_total{channel="sms"} 2');
});
