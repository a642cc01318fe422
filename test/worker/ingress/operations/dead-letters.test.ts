import { expect, it } from 'vitest';
import { letterPage, shownLetter } from '../../../../shared/api/operations/dead-letter-calls.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { authorize, guardedAccess } from '../../../support/builders/access-token.ts';
import { commandsOf, recordsOf } from '../../../support/builders/notification-call.ts';
import { deadLettersAt } from '../../../support/worlds/dead-letters-world.ts';
import { deadLetterMessage } from '../../../support/worlds/dead-letters.ts';
import {
  createTestBroker,
  openNotificationIngress,
  publishTo,
} from '../../../support/worlds/ingress-fixture.ts';
import {
  createLetterTopics,
  letterNotificationId,
  operationsOf,
  publishLetters,
} from '../../../support/worlds/operations-calls.ts';

const PLACE = `${TOPIC.notificationDeadLetters}/0`;

async function openWith(count: number, headersOf?: (number: number) => Readonly<Record<string, string>>) {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, count, headersOf);
  const { url } = await openNotificationIngress({ broker });
  return { broker, url, ...operationsOf(url) };
}

const auditOf = async (broker: Parameters<typeof recordsOf>[0]) => {
  const records = await recordsOf(broker, TOPIC.deadLetterAudit);
  return records.map(({ value }) => JSON.parse(String(value)) as Record<string, unknown>);
};

it('the list has the newest first, with counts, in pages; an action works on the oldest', async () => {
  const { get, post } = await openWith(5, (number) => ({
    [HEADER.deadLetterCode]: number < 2 ? 'number-blocked' : 'smtp-550',
  }));
  const first = await get('/dead-letters?limit=2');
  expect(first.status).toBe(200);
  letterPage.strict().parse(first.body);
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(first.body).toMatchObject({
    letters: [{ id: `${PLACE}/4` }, { id: `${PLACE}/3` }],
    count: 5,
    codes: { 'smtp-550': 3, 'number-blocked': 2 },
    handled: 0,
    isComplete: true,
  });
  expect(first.body['letters']).toMatchObject([
    {
      at: '2026-05-01T10:00:04.000Z',
      type: 'SendSmsCommand',
      channel: 'sms',
      from: `${TOPIC.smsCommands}/0/912`,
      attempts: 3,
      status: 'open',
      notificationId: letterNotificationId(4),
    },
    {},
  ]);
  const after = ({ nextCursor }: Readonly<Record<string, unknown>>) =>
    get(`/dead-letters?limit=2&cursor=${encodeURIComponent(String(nextCursor))}`);
  const second = await after(first.body);
  expect(second.body['letters']).toMatchObject([{ id: `${PLACE}/2` }, { id: `${PLACE}/1` }]);
  const third = await after(second.body);
  expect(third.body['letters']).toMatchObject([{ id: `${PLACE}/0` }]);
  expect(third.body).not.toHaveProperty('nextCursor');
  const selected = { selection: { topics: ['notification'] }, limit: 2, reason: 'of no use' };
  const { body } = await post('/dead-letters/discard', selected);
  const letters = [{ id: `${PLACE}/0` }, { id: `${PLACE}/1` }];
  expect(body).toMatchObject({ counts: { discarded: 2 }, letters });
});

const FILTERS = [
  ['code=smtp-5*', [2, 1]],
  ['code=number-blocked', [0]],
  ['code=number-blocked&code=smtp-550', [2, 1, 0]],
  ['type=SendEmailCommand', []],
  ['channel=sms&topic=notification', [2, 1, 0]],
  ['channel=email', []],
  ['since=2026-05-01T10:00:01Z', [2, 1]],
  ['until=2026-05-01T12:00:01%2B02:00', [0]],
  [`id=${letterNotificationId(1)}`, [1]],
  [`id=${PLACE}/2`, [2]],
] as const;

it('the list filters by each parameter', async () => {
  const { get } = await openWith(3, (number) => ({
    [HEADER.deadLetterCode]: number === 0 ? 'number-blocked' : 'smtp-550',
  }));
  for (const [query, offsets] of FILTERS) {
    const { body } = await get(`/dead-letters?${query}`);
    const ids = (body['letters'] as { id: string }[]).map(({ id }) => id);
    expect([query, ids]).toEqual([query, offsets.map((offset) => `${PLACE}/${offset}`)]);
  }
});

it('the list refuses unknown and invalid parameters, and names all of them', async () => {
  const { get } = await openWith(0);
  const { status, body } = await get('/dead-letters?limit=0&since=yesterday&chanel=sms&cursor=x&all=yes');
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid-request' });
  const errors = body['errors'] as { path: string; message: string }[];
  expect(errors.map(({ path }) => path).toSorted()).toEqual(['all', 'chanel', 'cursor', 'limit', 'since']);
  expect(errors.find(({ path }) => path === 'chanel')?.message).toContain('did you mean channel?');
});

it('one dead letter is shown masked, with its audit, and none where no topic can be', async () => {
  const { get, post } = await openWith(1);
  await post('/dead-letters/discard', { selection: { ids: [`${PLACE}/0`] }, reason: 'of no use' });
  const { status, body } = await get(`/dead-letters/${PLACE}/0`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: `${PLACE}/0`,
    status: 'discarded',
    payload: { type: 'SendSmsCommand', content: { receiver: '[masked, 12 characters]' } },
    audit: [{ action: 'discard', stage: 'done', operator: 'anonymous', reason: 'of no use' }],
  });
  shownLetter.strict().parse(body);
  expect(JSON.stringify(body)).not.toMatch(/40722|hello/);
  for (const place of NOWHERE)
    expect(await get(`/dead-letters/${place}`)).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

it.each([
  ['the header of its origin is missing', { [HEADER.deadLetterTopic]: '' }],
  ['its origin is another topic', { [HEADER.deadLetterTopic]: TOPIC.scheduleRequests }],
  ['it has the type of a calculation', { [HEADER.messageType]: 'CalculatePMTRequest' }],
])('one dead letter is masked although %s', async (_, headers) => {
  const { broker, get } = await openWith(1, () => ({ ...headers, [HEADER.correlationId]: '+40722123456' }));
  const value = Buffer.from(
    '{"jsonParam":{"InstallmentsNo":4,"reciever":"+40722123456"},"to":"+40722123456"}',
  );
  const message = deadLetterMessage({ [HEADER.deadLetterPartition]: '0', ...headers });
  await publishTo(broker, [{ ...message, key: Buffer.from('+40722123456'), value, partition: 0 }]);
  for (const offset of [0, 1]) {
    const { status, body } = await get(`/dead-letters/${PLACE}/${offset}`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/40722|hello/);
  }
});

const NOWHERE = [
  'x/0/0',
  `${PLACE}/9`,
  `${TOPIC.notificationDeadLetters}/a/0`,
  `${TOPIC.smsCommands}/0/0`,
  'a%20b/0/0',
  `${TOPIC.notificationDeadLetters}/1234567/0`,
  `..%2f..%2fetc%2fpasswd/0/0`,
];

const fields = (letter: string, length: number, value: unknown) =>
  Object.fromEntries(Array.from({ length }, (_, number) => [`${letter}${number}`, value]));

it('edits and redrives, and the audit has no values', async () => {
  const { broker, post } = await openWith(1);
  const selection = { ids: [`${PLACE}/0`] };
  const edit = (receiver: string) =>
    post('/dead-letters/edit', { selection, reason: 'typing error', patch: { receiver } });
  const why = expect.stringContaining('receiver') as string;
  expect((await edit('12')).body).toMatchObject({ letters: [{ result: 'refused', why }] });
  const right = await edit('+40722123457');
  expect(right.body).toMatchObject({ letters: [{ result: 'edited' }] });
  expect(await commandsOf(broker, 'sms')).toMatchObject([{ payload: { receiver: '+40722123457' } }]);
  const audit = JSON.stringify(await auditOf(broker));
  expect(audit).toContain('"members":["receiver"]');
  expect(audit).not.toContain('+4072');
});

it('redrives once, records who, when and why, and the command sees it as handled', async () => {
  const { broker, url, get, post } = await openWith(1);
  const call = { selection: { ids: [`${PLACE}/0`] }, reason: 'new credentials' };
  const beforeMs = Date.now();
  const { body } = await post('/dead-letters/redrive', call);
  expect(body).toMatchObject({ counts: { redriven: 1 }, letters: [{ result: 'redriven' }] });
  expect(await commandsOf(broker, 'sms')).toMatchObject([{ id: letterNotificationId(0) }]);
  const audit = await auditOf(broker);
  expect(audit.map(({ stage }) => stage)).toEqual(['begun', 'done']);
  for (const record of audit) {
    expect(record).toMatchObject({ operator: 'anonymous', reason: 'new credentials', run: body['run'] });
    expect(Date.parse(String(record['at']))).toBeGreaterThanOrEqual(beforeMs);
  }
  expect((await post('/dead-letters/redrive', call)).body).toMatchObject({
    letters: [{ result: 'skipped', override: 'again' }],
  });
  const command = deadLettersAt(url);
  expect((await command('redrive', `${PLACE}/0`)).result).toMatchObject({ counts: { skipped: 1 } });
  expect((await get('/dead-letters')).body).toMatchObject({ letters: [], handled: 1 });
  expect((await get('/dead-letters?all=true')).body).toMatchObject({ letters: [{ status: 'redriven' }] });
});

const one = { selection: { ids: ['a/0/1'] }, reason: 'r' };

const { selection, reason } = one;
const many = { ids: Array.from({ length: 501 }, () => 'a/0/1') };
const unknown = { patch: { notificationId: 'x' }, headers: { 'plat-attempt': '9' } };
const large = { patch: fields('f', 51, 1), headers: { ...fields('h', 20, 'x'), long: 'x'.repeat(1_001) } };

it.each([
  ['redrive', { selection: {}, reason }, 'selection'],
  ['mark-sent', { selection }, 'reason'],
  ['redrive', { selection }, 'reason'],
  [
    'discard',
    { selection: { ...selection, chanel: 'sms' }, dryrun: true, reason: '' },
    'dryrun reason selection.chanel',
  ],
  ['edit', one, 'patch'],
  ['edit', { ...one, ...unknown }, 'headers.plat-attempt patch.notificationId'],
  ['edit', { ...one, ...large }, 'headers headers.long patch'],
  ['discard', { ...one, selection: many }, 'selection.ids'],
])('refuses %s of %j and names %s', async (action, body, paths) => {
  const { post } = await openWith(0);
  const refused = await post(`/dead-letters/${action}`, body);
  expect(refused.status).toBe(400);
  const errors = refused.body['errors'] as { path: string }[];
  expect(errors.map(({ path }) => path).toSorted()).toEqual(paths.split(' '));
});

it('admits the scope of each address, and records the subject of the token', async () => {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, 1);
  const { url } = await openNotificationIngress({ broker, access: guardedAccess() });
  const reader = operationsOf(url, await authorize('ana', 'operations:read'));
  const writer = operationsOf(url, await authorize('olga', 'operations:write'));
  const discard = { selection: { ids: [`${PLACE}/0`] }, reason: 'of no use' };
  expect((await reader.get('/dead-letters')).status).toBe(200);
  expect((await writer.post('/dead-letters/discard', discard)).status).toBe(200);
  expect(await auditOf(broker)).toMatchObject([{ operator: 'olga' }]);
});
