import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import {
  idOf,
  notificationWorld,
  SMS,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';
import { after, permanent, SENT, transient } from '../../support/fakes/scripted-providers.ts';

const ID = idOf(1);
/** Long enough for the first attempt to end even on a busy machine. */
const TIME_LIMIT_MS = 1_500;
/** With these tiers, all attempts within the time limit fit into the history of 20 attempts. */
const FEW_TIERS_MS = [30, 300];
const EXPIRY_TIMEOUT_MS = 5_000;

const statusOf = (world: NotificationWorld, id = ID) => world.states.get(id)?.status;
const providersAsked = (world: NotificationWorld) => world.providers.calls.map(({ provider }) => provider);
const codesOf = (letters: readonly LogMessage[]) =>
  letters.map(({ headers }) => headerText(headers, HEADER.deadLetterCode));

it('sends through the first provider of the channel, after writing the intent and before writing the outcome', async () => {
  const world = await notificationWorld();
  let known: string | undefined;
  world.providers.add('first').answer = () => {
    known = statusOf(world);
    return { kind: 'sent', providerMessageId: 'abc' };
  };
  world.providers.add('second');
  world.providers.add('mails', { channel: 'email' });
  await world.worker();
  await world.sms({ id: ID, message: 'your code' });
  await expect.poll(() => statusOf(world)).toBe('sent');
  expect(known).toBe('sending');
  expect(world.history.map(({ status }) => status)).toEqual(['sending', 'sent']);
  expect(world.states.get(ID)).toMatchObject({
    channel: 'sms',
    attempt: 1,
    providerMessageId: 'abc',
    attempts: [{ attempt: 1, provider: 'first', result: 'sent', code: undefined }],
  });
  const message = { channel: 'sms', id: ID, receiver: '+40722123456', message: 'your code' };
  expect(world.providers.calls).toMatchObject([{ provider: 'first', message }]);
  await world.email({ id: idOf(2), key: 'receiver' });
  await expect.poll(() => statusOf(world, idOf(2))).toBe('sent');
  expect(world.providers.calls[1]).toMatchObject({
    provider: 'mails',
    message: { channel: 'email', subject: 'subject', attachments: [] },
  });
});

it('calls the next provider after a transient failure or a misconfiguration, but not after a rejection (N2)', async () => {
  const world = await notificationWorld();
  world.providers.add('busy').answer = () => transient('smtp-421');
  world.providers.add('wrong').answer = () => ({ kind: 'misconfigured', code: 'smtp-535' });
  world.providers.add('open').admission = () => ({ kind: 'open', afterMs: 1_000, code: 'busy' });
  world.providers.add('works').answer = ({ id }) =>
    id === idOf(2) ? permanent('smtp-550') : { kind: 'sent', providerMessageId: undefined };
  world.providers.add('never');
  await world.worker();
  await world.sms({ id: ID });
  await world.sms({ id: idOf(2), key: 'other' });
  await expect.poll(() => [statusOf(world), statusOf(world, idOf(2))]).toEqual(['sent', 'failed']);
  expect(new Set(providersAsked(world))).toEqual(new Set(['busy', 'wrong', 'works']));
  expect(world.states.get(ID)?.attempts.map(({ code }) => code)).toEqual(['smtp-421', 'smtp-535', undefined]);
  expect(world.states.get(idOf(2))).toMatchObject({ code: 'smtp-550', attempt: 1 });
  await expect.poll(() => codesOf(world.deadLetters)).toEqual(['smtp-550']);
  const text = await world.metrics.text();
  for (const line of [
    'plat_notification_attempts_total{channel="sms",provider="works",result="permanent"} 1',
    'plat_notification_outcomes_total{channel="sms",status="failed",code="smtp-550"} 1',
    'plat_notification_ledger{figure="size"} 2',
    'plat_notification_waiting{tier="50ms"} 0',
    'plat_dead_letters_total{worker="notification-sms",code="smtp-550"} 1',
  ]) {
    expect(text).toContain(line);
  }
});

it('writes a dead letter with all attempts after the time limit', async () => {
  const world = await notificationWorld({ tiersMs: FEW_TIERS_MS, timeLimitMs: TIME_LIMIT_MS });
  world.providers.add('busy').answer = () => transient('smtp-452');
  await world.worker();
  await world.sms({ id: ID });
  await expect
    .poll(() => codesOf(world.deadLetters), { timeout: EXPIRY_TIMEOUT_MS })
    .toEqual(['time-limit-exceeded']);
  expect(world.states.get(ID)).toMatchObject({ status: 'failed', code: 'time-limit-exceeded' });
  const [letter] = world.deadLetters;
  const text = (name: string) => headerText(letter?.headers ?? {}, name);
  expect(text(HEADER.notificationId)).toBe(ID);
  expect(Number(text(HEADER.attempt))).toBeGreaterThanOrEqual(2);
  expect(text(HEADER.deadLetterTopic)).toBe(SMS);
  expect(text(HEADER.deadLetterGroup)).toBe('plat.notification.sms');
  const tried = JSON.parse(text(HEADER.attemptHistory) ?? '[]') as { code: string }[];
  expect(tried.length).toBe(world.providers.calls.length);
  expect(new Set(tried.map(({ code }) => code))).toEqual(new Set(['smtp-452']));
  expect(text(HEADER.dueAt)).toBeUndefined();
  expect(text(HEADER.retryTopic)).toBeUndefined();
});

it('waits and reports degraded health while all providers are unavailable or no provider is configured', async () => {
  const world = await notificationWorld();
  const worker = await world.worker();
  await world.sms({ id: ID });
  await expect
    .poll(() => worker.health())
    .toMatchObject({ status: 'degraded', reason: expect.stringContaining('no provider for') as string });
  world.providers.add('mails', { channel: 'email' });
  const only = world.providers.add('only', { condition: 'degraded' });
  let isOpen = true;
  only.admission = () => (isOpen ? { kind: 'open', afterMs: 10, code: 'busy' } : { kind: 'go' });
  await expect.poll(() => worker.health().reason).toContain('all providers for sms are unavailable');
  expect(world.history).toEqual([]);
  isOpen = false;
  await expect.poll(() => statusOf(world), { timeout: 3_000 }).toBe('sent');
});

it('stops quickly while notifications wait for a provider, and another worker continues', async () => {
  const world = await notificationWorld();
  const only = world.providers.add('only');
  only.admission = () => ({ kind: 'open', afterMs: 60_000, code: 'busy' });
  const first = await world.worker();
  for (let number = 1; number <= 100; number += 1)
    await world.sms({ id: idOf(number), key: `key-${number}` });
  await sleep(100);
  const startedMs = performance.now();
  await first.stop(10_000);
  expect(performance.now() - startedMs).toBeLessThan(3_000);
  only.admission = () => ({ kind: 'go' });
  await world.worker();
  await expect.poll(() => world.providers.delivered.size, { timeout: 5_000 }).toBe(100);
});

it('answers an invalid command that has a reply topic, writes a dead letter otherwise, and never repeats its values', async () => {
  const world = await notificationWorld();
  world.providers.add('first');
  await world.worker();
  const body = Buffer.from(JSON.stringify({ receiver: 'not-a-number-4711', message: 'hello' }));
  const headers = { [HEADER.messageType]: 'SendSmsCommand' };
  await world.broker.admin.createTopics([{ topic: 'their.replies', partitions: 1 }]);
  const replies = await world.collect('their.replies');
  await world.publish(SMS, { key: 'k', value: body, headers });
  const answered = { ...headers, [HEADER.replyTopic]: 'their.replies' };
  await world.publish(SMS, { key: 'k', value: body, headers: answered });
  await world.publish(SMS, { key: 'k', value: Buffer.from('nonsense') });
  await expect.poll(() => world.deadLetters.length).toBe(2);
  await expect.poll(() => replies.length).toBe(1);
  expect(headerText(replies[0]?.headers ?? {}, HEADER.errorCode)).toBe('invalid-request');
  expect(String(replies[0]?.value)).not.toContain('4711');
  expect(new Set(codesOf(world.deadLetters))).toEqual(new Set(['invalid-request', 'undecodable-message']));
  expect(world.history).toEqual([]);
});

it('ends a notification whose copy cannot be read, and then sends those behind it', async () => {
  const world = await notificationWorld({ tiersMs: [600_000] });
  world.providers.add('only').answer = ({ id }) => (id === ID ? transient() : SENT);
  await world.worker();
  for (const number of [1, 2, 3]) await world.sms({ id: idOf(number), partition: 0, key: 'same' });
  await expect.poll(() => world.metrics.text()).toContain('plat_notification_hold{figure="followers"} 2');
  const headers = { [HEADER.notificationId]: ID, [HEADER.attempt]: '2' };
  await world.publish(SMS, { key: 'same', partition: 0, value: Buffer.from('?'), headers });
  await expect.poll(() => [...world.providers.delivered.keys()]).toEqual([idOf(2), idOf(3)]);
  expect(codesOf(world.deadLetters)).toEqual(['undecodable-message']);
  expect(world.states.get(ID)).toMatchObject({ status: 'failed', code: 'undecodable-message', attempt: 2 });
});

it('rejects a command whose headers leave no room for its retries', async () => {
  const world = await notificationWorld({ tiersMs: [50] });
  let isBusy = true;
  world.providers.add('first').answer = () => (isBusy ? transient() : SENT);
  await world.worker();
  const mostBytes = (8 * 1_024 - 64) * 1_024;
  await world.sms({ id: idOf(1), headers: { other: 'x'.repeat(mostBytes) } });
  await expect.poll(() => codesOf(world.deadLetters), { timeout: 4_000 }).toEqual(['body-too-large']);
  expect(world.history).toEqual([]);
  // The headers that its retries add to a command just below the limit do not count.
  await world.sms({ id: idOf(2), headers: { other: 'x'.repeat(mostBytes - 1_000) } });
  await expect.poll(() => world.states.get(idOf(2))?.attempt, { timeout: 8_000 }).toBe(4);
  isBusy = false;
  await expect.poll(() => statusOf(world, idOf(2)), { timeout: 4_000 }).toBe('sent');
});

it('does not send a duplicate command again, whatever its partition', async () => {
  const world = await notificationWorld();
  world.providers.add('first').answer = after(30, SENT);
  await world.worker();
  await Promise.all(['a', 'b', 'c', 'd', null].map((key) => world.sms({ id: ID, key })));
  await world.sms({ id: idOf(2), key: 'a' });
  await expect.poll(() => statusOf(world, idOf(2))).toBe('sent');
  await expect
    .poll(async () => {
      const committed = await world.broker.admin.committed('plat.notification.sms', [SMS]);
      return committed.reduce((sum, { offset }) => sum + offset, 0);
    })
    .toBe(6);
  expect(Object.fromEntries(world.providers.delivered)).toEqual({ [ID]: 1, [idOf(2)]: 1 });
});

it('reports records of the delivery log that cannot be read as `ledger`', async () => {
  const skipped: unknown[] = [];
  const log = { ...silentLog, warn: (...line: readonly unknown[]) => void skipped.push(line[1]) };
  const world = await notificationWorld({ log });
  const worker = await world.worker();
  const command = { notificationId: ID, sender: undefined, receiver: '+40722123456', message: 'hello' };
  const { value, headers } = await world.codec.encode('SendSmsCommand', command, 'avro');
  await world.publish(TOPIC.notificationOutcomes, { key: ID, value, headers });
  await expect.poll(() => worker.health().reason).toMatch(/^ledger: .* has 1 records that cannot be read$/);
  expect(skipped).toContain('a record of the delivery log was skipped');
});
