import { describe, expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { createNotificationKeys } from '../../../workers/ingress/notifications/idempotency.ts';
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

const textOf = (message: string) => ({
  notificationId: undefined,
  sender: undefined,
  receiver: '+40722123456',
  message,
});
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
  const headers = {
    [HEADER.messageType]: 'SendSmsCommand',
    [HEADER.contentType]: 'application/json',
    [HEADER.notificationId]: OWN_ID,
    [HEADER.attempt]: '2',
  };
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

describe('an operator', () => {
  it('sends a foreign command under an id of the ingress', async () => {
    const world = await runningWorld();
    await world.sms({ id: OWN_ID, message: 'accepted with another secret' });
    await expect.poll(() => world.deadLetters.length).toBe(1);
    const command = await deadLettersOver(world.broker, SECRET);
    await command('redrive', '--channel', 'sms', '--reason', 'the secret was changed');
    await expect.poll(() => world.states.get(OWN_ID)?.status).toBe('sent');
    expect(world.deadLetters).toHaveLength(1);
  });

  it('edits the text of a notification of the ingress', async () => {
    const world = await notificationWorld({ env: ENV });
    world.providers.add('first').answer = ({ message }) => (message === 'wrong' ? permanent('no') : SENT);
    await world.worker();
    await world.sms({ id: OWN_ID, message: 'wrong', headers: proofOf(OWN_ID, 'wrong') });
    await expect.poll(() => world.deadLetters.length).toBe(1);
    const patch = ['edit', '--channel', 'sms', '--set', 'message=right', '--reason', 'a wrong text'] as const;
    const command = await deadLettersOver(world.broker, SECRET);
    await command(...patch);
    await expect.poll(() => world.states.get(OWN_ID)?.status).toBe('sent');
    expect(textsSent(world)).toEqual(['wrong', 'right']);
  });
});

const onKafka = (broker: Broker): Broker => Object.assign(Object.create(broker) as Broker, { kind: 'kafka' });

describe('without a secret', () => {
  it('no hash of a text is written, and a worker on Kafka warns once that proofs are not verified', async () => {
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (...args: unknown[]) => void warnings.push(args) } as Log;
    const world = await notificationWorld({ log });
    world.providers.add('first');
    await world.worker({ broker: onKafka(world.broker) });
    const outcomes = await world.collect(TOPIC.notificationOutcomes);
    await world.sms({ id: idOf(1), message: '483920' });
    await expect.poll(() => world.states.get(idOf(1))?.status).toBe('sent');
    expect(outcomes.map(({ headers }) => headers[HEADER.textHash])).toEqual([undefined, undefined]);
    expect(warnings.filter((args) => JSON.stringify(args).includes('RESULT_ID_SECRET'))).toHaveLength(1);
  });
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

const publish = (world: NotificationWorld, command: object, id = idOf(1)) =>
  world.publish(SMS, {
    key: 'a',
    value: Buffer.from(
      JSON.stringify({ notificationId: id, receiver: '+40722123456', message: 'a', ...command }),
    ),
    headers: { [HEADER.messageType]: 'SendSmsCommand', [HEADER.contentType]: 'application/json' },
  });

describe('members of a JSON command that are not known', () => {
  it('are reported on the outcome and counted', async () => {
    const world = await runningWorld();
    const outcomes = await world.collect(TOPIC.notificationOutcomes);
    await publish(world, { priority: 'high', sendAt: 'x' });
    await expect.poll(() => world.states.get(idOf(1))?.status).toBe('sent');
    expect(outcomes.map(({ headers }) => headerText(headers, HEADER.warnings))).toEqual([
      'unknown-member;priority, unknown-member;sendAt',
      'unknown-member;priority, unknown-member;sendAt',
    ]);
    expect(await world.metrics.text()).toContain('plat_notification_unknown_members_total{channel="sms"} 2');
  });

  it('are refused if they differ only in case from a known one, which the dead letter names', async () => {
    const world = await runningWorld();
    await publish(world, { NotificationId: idOf(2) }, undefined);
    await expect.poll(() => codesOf(world.deadLetters)).toEqual(['invalid-request']);
    expect(reasonOf(world.deadLetters)).toContain('NotificationId');
    expect(world.providers.calls).toEqual([]);
  });
});
