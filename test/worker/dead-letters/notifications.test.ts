import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';
import { permanent, SENT, unknown } from '../../support/fakes/scripted-providers.ts';

const ID = idOf(1);
/** Longer than the worker needs to ignore a duplicate. */
const SETTLE_MS = 150;

async function startWorld() {
  const world = await notificationWorld();
  const provider = world.providers.add('main');
  await world.worker();
  const command = await deadLettersOver(world.broker);
  return {
    world,
    provider,
    command,
    status: () => world.states.get(ID)?.status,
    settle: () => sleep(SETTLE_MS),
  };
}

const counts = (result: string) => ({ result: { counts: { [result]: 1 } } });

it('a rejected notification is sent once after a redrive, even if the redrive is repeated', async () => {
  const { world, provider, command, status, settle } = await startWorld();
  provider.answer = () => permanent('number-blocked');
  await world.sms({ id: ID });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  const listed = { code: 'number-blocked', status: 'open', notificationId: ID, attempts: 1 };
  expect((await command('list')).result).toMatchObject({ letters: [listed] });

  provider.answer = () => SENT;
  expect(await command('redrive', ID)).toMatchObject({ ok: true, ...counts('redriven') });
  await expect.poll(status).toBe('sent');
  expect(await command('redrive', ID)).toMatchObject(counts('skipped'));
  for (const _ of [1, 2]) expect(await command('redrive', '--again', ID)).toMatchObject({ ok: true });
  await settle();
  expect(world.providers.delivered.get(ID)).toBe(1);
  expect(world.deadLetters).toHaveLength(1);
});

it('a parked notification is sent again only with --accept-duplicates', async () => {
  const { world, provider, command, status, settle } = await startWorld();
  provider.answer = () => unknown();
  await world.sms({ id: ID });
  await expect.poll(status).toBe('parked');
  await expect.poll(() => world.deadLetters.length).toBe(1);
  provider.answer = () => SENT;
  const redrive = ['redrive', '--code', 'outcome-unknown'] as const;
  expect(await command(...redrive)).toMatchObject({ ok: false, ...counts('refused') });
  await settle();
  expect(world.providers.calls).toHaveLength(1);
  const accepted = await command(...redrive, '--accept-duplicates');
  expect(accepted).toMatchObject({ ok: true, ...counts('redriven') });
  await expect.poll(status).toBe('sent');
  expect(world.providers.delivered.get(ID)).toBe(1);
});

it('a parked notification is marked as sent, for its caller too, and is not sent again', async () => {
  const { world, provider, command, status, settle } = await startWorld();
  provider.answer = ({ id }) => (id === ID ? unknown() : permanent('number-blocked'));
  await world.sms({ id: ID });
  await world.sms({ id: idOf(2), key: 'another' });
  await expect.poll(() => world.deadLetters.length).toBe(2);
  const reason = ['--reason', 'the provider has delivered it'];
  expect(await command('mark-sent', ID, '--dry-run', ...reason)).toMatchObject(counts('would-mark-sent'));
  expect(status()).toBe('parked');
  const marked = await command('mark-sent', ID, ...reason);
  expect(marked).toMatchObject({ ok: true, ...counts('marked-sent') });
  await expect.poll(status).toBe('sent');
  expect(world.states.get(ID)).toMatchObject({
    channel: 'sms',
    attempts: [
      { attempt: 1, provider: 'main', result: 'unknown' },
      { attempt: 1, provider: '-', result: 'sent', code: 'marked-by-operator' },
    ],
  });
  const audit = [
    { action: 'mark-sent', stage: 'begun' },
    { action: 'mark-sent', stage: 'done', reason: 'the provider has delivered it' },
  ];
  expect((await command('show', ID)).result).toMatchObject({ letters: [{ status: 'marked-sent', audit }] });
  expect(await command('mark-sent', ID, ...reason)).toMatchObject(counts('skipped'));
  const refused = await command('mark-sent', idOf(2), ...reason);
  expect(refused).toMatchObject({ ok: false, ...counts('refused') });
  await command('redrive', ID, '--again', '--accept-duplicates');
  await settle();
  expect(world.providers.calls).toHaveLength(2);
  expect(status()).toBe('sent');
});

it('repeated edits of an upstream command with an invalid id and receiver send one notification, and show no personal data', async () => {
  const { world, command, settle } = await startWorld();
  const attempt = { attempt: 1, at: 2, provider: 'main', result: 'transient', receiver: 'planted one' };
  const headers = {
    'plat-message-type': 'SendSmsCommand',
    'plat-notification-id': 'planted id',
    'plat-attempt-history': JSON.stringify([attempt, { ...attempt, code: 'planted code' }]),
    'plat-origin-timestamp': '1700000000000',
  };
  const sent = { receiver: '0722 planted', message: 'planted text', sender: 'Bank' };
  const value = Buffer.from(JSON.stringify(sent));
  await world.publish(TOPIC.smsCommands, { key: 'upstream-planted', value, headers });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  const shown = await command('show', '--topic', 'notification');
  expect(JSON.stringify([await command('list'), shown])).not.toMatch(/planted/);
  expect(shown.lines.join('\n')).toContain(
    JSON.stringify('{"attempt":1,"at":2,"provider":"main","result":"transient"}'),
  );

  const wrong = await command('edit', '--topic', 'notification', '--set', 'receiver=12345');
  expect(wrong).toMatchObject({ ok: false });
  expect(JSON.stringify(wrong)).not.toMatch(/planted/);
  expect(world.providers.calls).toHaveLength(0);
  const edit = ['edit', '--topic', 'notification', '--set', 'receiver=+40722123456', '--again'] as const;
  for (const _ of [1, 2]) expect(await command(...edit)).toMatchObject({ ok: true });
  await expect.poll(() => world.providers.calls.length).toBe(1);
  expect(world.providers.calls[0]?.message).toMatchObject({ ...sent, receiver: '+40722123456' });
  await settle();
  expect([...world.providers.delivered.values()]).toEqual([1]);
});
