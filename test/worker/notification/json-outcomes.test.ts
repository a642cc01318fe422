import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { permanent, SENT } from '../../support/fakes/scripted-providers.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import { idOf, notificationWorld, SMS } from '../../support/worlds/notification-world.ts';

const ID = idOf(1);
const JSON_SMS = { [HEADER.messageType]: 'SendSmsCommand', [HEADER.contentType]: 'application/json' };
const command = (message: string) =>
  Buffer.from(JSON.stringify({ notificationId: ID, receiver: '+40722123456', message }));

it('a command in JSON gets all its states in JSON, also after retries and a redrive; one in Avro in Avro (N13)', async () => {
  const world = await notificationWorld();
  const answers = [{ kind: 'transient', code: 'busy' } as const, permanent('no'), SENT];
  world.providers.add('first').answer = ({ id }) => (id === ID ? (answers.shift() ?? SENT) : SENT);
  await world.worker();
  const records = await world.collect(TOPIC.notificationOutcomes);
  const headers = { ...JSON_SMS, [HEADER.sender]: 'loans' };
  await world.publish(SMS, { key: 'a', value: command('hello'), headers });
  await expect.poll(() => world.states.get(ID)?.status).toBe('failed');
  const call = await deadLettersOver(world.broker);
  await call('redrive', '--channel', 'sms', '--reason', 'the provider was wrong');
  await expect.poll(() => world.states.get(ID)?.status).toBe('sent');
  await world.sms({ id: idOf(2) });
  await expect.poll(() => world.states.get(idOf(2))?.status).toBe('sent');
  const formats = records.map(({ key, value, headers: all }) => [
    key?.toString(),
    headerText(all, HEADER.messageType),
    headerText(all, HEADER.contentType),
    value?.[0] === 0 ? 'avro' : (JSON.parse(String(value)) as { status: string }).status,
  ]);
  const json = [ID, 'NotificationState', 'application/json'];
  const avro = [idOf(2), 'NotificationState', 'application/vnd.apache.avro', 'avro'];
  expect(formats).toEqual([
    ...['sending', 'retrying', 'sending', 'failed', 'sending', 'sent'].map((status) => [...json, status]),
    avro,
    avro,
  ]);
  expect(world.states.get(ID)).toMatchObject({ attempt: 3, sender: 'loans', category: 'transactional' });
  expect(world.states.get(ID)?.receiverHash).toMatch(/^[0-9a-f]{16}$/);
});
