import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, type TestContext } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { notificationState } from '../../support/builders/notification-state.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { dyingWorker } from '../../support/worlds/dying-worker.ts';
import {
  idOf,
  notificationWorld,
  redriven,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';
import { refusingBroker } from '../../support/fakes/refusing-broker.ts';
import {
  after,
  permanent,
  SENT,
  scriptedProviders,
  transient,
  unknown,
} from '../../support/fakes/scripted-providers.ts';

const ID = idOf(1);
/** Longer than a lease of about 5 s takes to expire on a busy machine. */
const LEASE_OVER_MS = 16_000;
/** Long enough for the first attempt to end even on a busy machine. */
const TIME_LIMIT_MS = 1_500;
const EXPIRY_TIMEOUT_MS = 8_000;
const refused = (code = 'broker-refused') => new MessagingError(code, 'no', { canRetry: false });

const stateOf = (world: NotificationWorld, id = ID) => world.states.get(id);
const statuses = (world: NotificationWorld) =>
  world.history.map(({ status, attempt }) => `${status} ${attempt}`);
const codes = (world: NotificationWorld) =>
  world.deadLetters.map(({ headers }) => headerText(headers, HEADER.deadLetterCode));

/** Writes a state as another process would. */
async function write(world: NotificationWorld, fields: Partial<NotificationState>): Promise<void> {
  const state = notificationState(ID, { updatedAt: Date.now(), ...fields });
  const { value, headers } = await world.codec.encode('NotificationState', state, 'avro');
  await world.publish(TOPIC.notificationOutcomes, { key: state.notificationId, value, headers });
}

it.each(['broker-refused', 'topic-unknown'])(
  'retries writing an outcome that is rejected as %s, without sending again',
  async (code) => {
    const world = await notificationWorld();
    let refusals = 0;
    const only = world.providers.add('only');
    only.answer = () => {
      refusals = 4;
      return SENT;
    };
    const broker = refusingBroker(world.broker, (clientId) => {
      if (clientId !== 'notification-states' || refusals === 0) return undefined;
      refusals -= 1;
      return refused(code);
    });
    await world.worker({ broker });
    await world.sms({ id: ID });
    await expect.poll(() => stateOf(world)?.status, { timeout: 4_000 }).toBe('sent');
    await world.sms({ id: ID, headers: redriven(2) });
    await sleep(200);
    expect(world.providers.delivered.get(ID)).toBe(1);
    expect(statuses(world)).toEqual(['sending 1', 'sent 1']);
    expect(codes(world)).toEqual([]);
  },
);

it.each([
  ['the copy for its tier', transient(), 'retrying', 'plat.notification.retry.3s.v1'],
  ['its dead letter', permanent('gone'), 'failed', TOPIC.notificationDeadLetters],
])('keeps a notification waiting while %s is rejected', async (_, result, status, topic) => {
  const world = await notificationWorld({ tiersMs: [3_000] });
  world.providers.add('only').answer = () => result;
  let refusals = 1;
  const broker = refusingBroker(world.broker, (_client, [message]) => {
    if (refusals === 0 || message?.topic !== topic) return undefined;
    refusals -= 1;
    return refused();
  });
  await world.worker({ broker });
  await world.sms({ id: ID });
  await expect.poll(() => stateOf(world)?.status).toBe(status);
  const followed = await world.collect(topic);
  await expect.poll(() => followed.length, { timeout: 4_000 }).toBe(1);
  expect(codes(world)).toEqual(status === 'retrying' ? [] : ['gone']);
  expect(world.providers.calls).toHaveLength(1);
});

it.each([
  ['exceeds the time limit', transient('refused-connection'), TIME_LIMIT_MS],
  ['is rejected permanently', permanent('gone'), 60_000],
])('parks a notification with an unknown outcome when its retry %s', async (_, result, timeLimitMs) => {
  const world = await notificationWorld({ timeLimitMs });
  let calls = 0;
  world.providers.add('only', { isIdempotent: true }).answer = () => {
    calls += 1;
    return calls === 1 ? unknown() : result;
  };
  await world.worker();
  await world.sms({ id: ID });
  await expect.poll(() => codes(world), { timeout: EXPIRY_TIMEOUT_MS }).toEqual(['outcome-unknown']);
  expect(stateOf(world)).toMatchObject({ status: 'parked', code: 'outcome-unknown' });
  expect(calls).toBeGreaterThan(1);
});

/**
 * Runs a worker that crashes after sending and before writing the outcome, then one with the second set of providers.
 */
async function statusAfter(
  { onTestFinished }: TestContext,
  before: { readonly isIdempotent: boolean; readonly identity: string },
  now: { readonly isIdempotent: boolean; readonly identity: string },
): Promise<string | undefined> {
  const world = await notificationWorld({ onTestFinished, env: { NOTIFICATION_SEND_TIMEOUT_MS: '100' } });
  world.providers.add('one', before);
  const victim = dyingWorker(world.broker, world.providers, { at: 2, when: 'before' });
  await world.worker(victim);
  await world.sms({ id: ID });
  await victim.died;
  const providers = scriptedProviders();
  providers.add('one', now);
  await world.worker({ providers });
  const isOver = () => ['sent', 'parked'].includes(stateOf(world)?.status ?? '');
  await eventually('an outcome', LEASE_OVER_MS, isOver);
  return stateOf(world)?.status;
}

it.concurrent('repeats a send of a crashed process only with the same provider, if it recognises ids', async (context) => {
  const known = { isIdempotent: true, identity: 'a' };
  expect(
    await Promise.all([
      statusAfter(context, known, known),
      statusAfter(context, known, { ...known, identity: 'b' }),
      statusAfter(context, { ...known, isIdempotent: false }, known),
      statusAfter(context, known, { ...known, isIdempotent: false }),
    ]),
  ).toEqual(['sent', 'parked', 'parked', 'parked']);
});

it.concurrent('ends a lease written with a clock that is ahead after the longest possible lease time', async ({
  onTestFinished,
}) => {
  const world = await notificationWorld({ onTestFinished, env: { NOTIFICATION_SEND_TIMEOUT_MS: '100' } });
  world.providers.add('only');
  const leaseUntil = Date.now() + 50 * 60_000;
  await write(world, { status: 'sending', owner: 'gone', leaseUntil, providers: ['only'] });
  await world.worker();
  await world.sms({ id: ID, partition: 0 });
  await world.sms({ id: idOf(2), partition: 0 });
  await eventually('the second', LEASE_OVER_MS, () => stateOf(world, idOf(2))?.status === 'sent');
  expect(stateOf(world)?.status).toBe('parked');
});

it('sends only one of two commands for different channels with the same id', async () => {
  const world = await notificationWorld();
  world.providers.add('texts').answer = after(100, SENT);
  world.providers.add('mails', { channel: 'email' }).answer = after(100, SENT);
  await world.worker();
  await Promise.all([world.sms({ id: ID }), world.email({ id: ID, key: 'receiver' })]);
  await expect.poll(() => codes(world), { timeout: 3_000 }).toEqual(['duplicate-id']);
  await expect.poll(() => stateOf(world)?.status).toBe('sent');
  expect(world.providers.calls).toHaveLength(1);
});

it('does not forget earlier outcomes when a process with a clock days ahead writes one', async () => {
  const world = await notificationWorld();
  world.providers.add('only');
  await world.worker();
  await world.sms({ id: ID });
  await expect.poll(() => stateOf(world)?.status).toBe('sent');
  await write(world, { notificationId: idOf(9), status: 'sent', updatedAt: Date.now() + 4 * 86_400_000 });
  await expect.poll(() => stateOf(world, idOf(9))?.status).toBe('sent');
  await world.sms({ id: ID });
  await world.sms({ id: idOf(2) });
  await expect.poll(() => stateOf(world, idOf(2))?.status).toBe('sent');
  expect(world.providers.delivered.get(ID)).toBe(1);
});
