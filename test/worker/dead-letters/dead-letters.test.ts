import { expect, it, onTestFinished } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { PMT_ANSWER, PMT_TERMS } from '../../support/builders/schedule-call.ts';
import { collect, REPLY_TOPIC } from '../../support/worlds/batch-world.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

async function startWorld() {
  const broker = await createSharedBroker(2);
  await broker.admin.createTopics([{ topic: REPLY_TOPIC, partitions: 1 }]);
  await startOn(broker, startScheduleWorker);
  const replies = await collect(broker, REPLY_TOPIC);
  const letters = await collect(broker, TOPIC.scheduleDeadLetters);
  const requests = await collect(broker, TOPIC.scheduleRequests);
  const audit = await collect(broker, TOPIC.deadLetterAudit);
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const send = async (terms: object, headers: MessageHeaders = {}): Promise<void> => {
    const before = letters.length;
    const value = Buffer.from(JSON.stringify({ jsonParam: terms }));
    const own = { [HEADER.messageType]: 'CalculatePMTRequest', [HEADER.correlationId]: 'loan-1', ...headers };
    await publisher.publish([{ topic: TOPIC.scheduleRequests, key: 'contract-1', value, headers: own }]);
    await expect.poll(() => letters.length).toBe(before + 1);
  };
  const command = await deadLettersOver(broker);
  return { send, command, replies, letters, requests, audit };
}

const auditOf = (messages: readonly LogMessage[]) =>
  messages.map(({ value }) => JSON.parse(value?.toString('utf8') ?? 'null') as Record<string, unknown>);

it('an invalid request without a reply address can be listed, shown and edited, and then gets a reply', async () => {
  const { send, command, replies, letters, audit } = await startWorld();
  await send({ ...PMT_TERMS, InstallmentsNo: 'four' });

  const list = await command('list');
  expect(list.result).toMatchObject({ count: 1, codes: { 'invalid-request': 1 } });
  const [row] = list.result['letters'] as { id: string; from: string; status: string }[];
  const id = row?.id ?? '';
  expect(id).toMatch(/^plat\.schedule\.dead-letters\.v1\/\d\/0$/);
  expect(row).toMatchObject({ status: 'open', attempts: 1, redrives: 0 });
  expect(row?.from).toMatch(/^plat\.schedule\.requests\.v1\/\d\/0$/);

  const shown = await command('show', id);
  expect(shown.lines.join('\n')).toContain('"group": "plat.schedule.interactive"');
  expect(shown.lines.join('\n')).toContain('"InstallmentsNo": "four"');
  expect(shown.lines.join('\n')).toContain('jsonParam.InstallmentsNo: ');

  const wrong = await command('edit', id, '--set', 'jsonParam.InstallmentsNo=true');
  expect(wrong).toMatchObject({ ok: false, result: { counts: { refused: 1 } } });
  expect(wrong.lines.join('\n')).toContain('jsonParam.InstallmentsNo');
  const edit = ['--set', 'jsonParam.InstallmentsNo=4', '--header', `kafka_replyTopic=${REPLY_TOPIC}`];
  expect(await command('edit', id, ...edit, '--reason', 'typing error')).toMatchObject({ ok: true });
  await expect.poll(() => replies.length).toBe(1);
  expect(replies[0]?.value?.toString('utf8')).toBe(PMT_ANSWER);
  expect(headerText(replies[0]?.headers ?? {}, HEADER.correlationId)).toBe('loan-1');

  expect(letters).toHaveLength(1);
  await expect.poll(() => audit.length).toBe(2);
  const begun = { operator: 'anonymous', reason: 'typing error', code: 'invalid-request' };
  expect(auditOf(audit)).toMatchObject([
    { action: 'edit', stage: 'begun', ...begun },
    { action: 'edit', stage: 'done', members: ['jsonParam.InstallmentsNo', 'header kafka_replyTopic'] },
  ]);
  expect((await command('list')).result).toMatchObject({ count: 0, handled: 1 });
  const again = await command('discard', '--code', 'invalid-*');
  expect(again).toMatchObject({ ok: true, result: { letters: [], handled: 1 } });
  expect((await command('list', '--all')).result).toMatchObject({ letters: [{ id, status: 'edited' }] });
});

it('a repeated redrive sends a letter once, without the dead-letter headers', async () => {
  const { send, command, letters, requests } = await startWorld();
  await send(PMT_TERMS, { tracestate: 'a=1', [HEADER.deadline]: '99999999999999', 'x-own': 'kept' });
  const redriven = { ok: true, result: { counts: { redriven: 1 } } };
  expect(await command('redrive', '--code', 'no-reply-address')).toMatchObject(redriven);
  await expect.poll(() => requests.length).toBe(2);
  await expect.poll(() => letters.length).toBe(2);
  const [first, copy] = requests;
  expect([copy?.partition, copy?.key, copy?.value]).toEqual([first?.partition, first?.key, first?.value]);
  const texts = Object.entries(copy?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  expect(Object.fromEntries(texts)).toEqual({
    [HEADER.messageType]: 'CalculatePMTRequest',
    [HEADER.correlationId]: 'loan-1',
    tracestate: 'a=1',
    [HEADER.originTimestamp]: String(first?.timestampMs),
    [HEADER.redriveCount]: '1',
    'x-own': 'kept',
  });

  const id = `${TOPIC.scheduleDeadLetters}/${letters[0]?.partition}/0`;
  expect((await command('redrive', id)).result).toMatchObject({ counts: { skipped: 1 } });
  expect(requests).toHaveLength(2);
  expect((await command('redrive', '--again', id)).result).toMatchObject({ counts: { redriven: 1 } });
  await expect.poll(() => requests.length).toBe(3);
  expect((await command('discard', '--again', id)).result).toMatchObject({ counts: { discarded: 1 } });
});
