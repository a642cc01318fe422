/** Dead letters that an upstream system writes with bad intent or by mistake, and callers with bad intent. */
import { expect, it } from 'vitest';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../../shared/messaging/message.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { silentLog, type Log } from '../../../../shared/platform/log.ts';
import { createMetrics } from '../../../../shared/platform/metrics.ts';
import { deadLetterMessage } from '../../../support/worlds/dead-letters.ts';
import {
  createTestBroker,
  openNotificationIngress,
  publishTo,
} from '../../../support/worlds/ingress-fixture.ts';
import {
  createLetterTopics,
  letterNotificationId,
  OPERATIONS,
  operationsOf,
} from '../../../support/worlds/operations-calls.ts';
import { recordsOf } from '../../../support/builders/notification-call.ts';

const PLACE = `${TOPIC.notificationDeadLetters}/0`;
const NUMBER = '+40722841979';
const PERSON = 'wilhelmina.quarry@mail.example';
const TEXT = 'Your Bergkristall code is 493817265';
const PLANTED = /40722841979|wilhelmina|quarry|Bergkristall|493817265/i;
/** The forms in which an upstream system may write a notification. */
const PAYLOADS: readonly string[] = [
  JSON.stringify({ receiver: NUMBER, message: TEXT }),
  JSON.stringify({ receiver: `${NUMBER}x`, message: TEXT, sender: PERSON }),
  JSON.stringify({ receiver: 7, [NUMBER]: TEXT, [PERSON]: { [TEXT]: 1 } }),
  JSON.stringify([{ receiver: NUMBER, message: TEXT }, { [PERSON]: TEXT }]),
  JSON.stringify({ data: { receiver: NUMBER }, text: TEXT, [TEXT]: null }),
  JSON.stringify({ receiver: PERSON, subject: TEXT, message: TEXT, cc: [PERSON], [PERSON]: PERSON }),
  JSON.stringify(TEXT),
  `{"receiver":"${NUMBER}","message":${TEXT}`,
  `${TEXT} ${NUMBER}`,
  `\u0000\u0000\u0000\u0000\u0001${TEXT}`,
  `{"receiver":"${NUMBER}","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
];
const TYPES = ['SendSmsCommand', 'SendEmailCommand', 'CalculatePMTRequest', 'Unheard', TEXT, undefined];

async function openWith(letters: readonly Pick<LogMessage, 'value' | 'headers' | 'key'>[]) {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  const place = { topic: TOPIC.notificationDeadLetters, partition: 0 };
  for (const one of letters) await publishTo(broker, [{ ...place, ...one }]);
  const seen: string[] = [];
  const note = (...args: readonly unknown[]): void => void seen.push(JSON.stringify(args));
  const log = { ...silentLog, debug: note, info: note, warn: note, error: note } as Log;
  const metrics = createMetrics();
  const { url } = await openNotificationIngress({ broker, log, metrics });
  const calls = operationsOf(url);
  const kept = async (call: ReturnType<typeof calls.get>) => {
    const answer = await call;
    seen.push(JSON.stringify(answer.body));
    return answer;
  };
  return {
    broker,
    url,
    metrics,
    seen,
    get: (address: string) => kept(calls.get(address)),
    post: (address: string, body: unknown) => kept(calls.post(address, body)),
  };
}

function deadLetterOf(value: string | null, headers: MessageHeaders = {}, key = 'ab'.repeat(32)) {
  const message = deadLetterMessage({ [HEADER.deadLetterPartition]: '0', ...headers });
  return {
    headers: message.headers,
    key: Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
  };
}

it('dead letters disclose no personal data in answers, audit, log and metrics', async () => {
  const attempt = { attempt: 1, at: 1, provider: TEXT, result: 'unknown', code: PERSON, note: NUMBER };
  const headers = {
    [HEADER.notificationId]: letterNotificationId(1),
    [HEADER.correlationId]: NUMBER,
    tracestate: PERSON,
    [HEADER.replyTopic]: TEXT,
    [HEADER.deadline]: TEXT,
    [HEADER.warnings]: TEXT,
    [HEADER.attemptHistory]: JSON.stringify([attempt]),
    'x-customer': PERSON,
    [NUMBER]: PERSON,
  };
  const letters = TYPES.flatMap((type) =>
    PAYLOADS.map((payload) => deadLetterOf(payload, { ...headers, [HEADER.messageType]: type }, NUMBER)),
  );
  const { broker, metrics, seen, get, post } = await openWith(letters);
  const list = await get('/dead-letters?limit=200');
  expect(list.body).toMatchObject({ count: letters.length });
  for (const offset of letters.keys())
    expect((await get(`/dead-letters/${PLACE}/${offset}`)).status).toBe(200);
  const call = { selection: { topics: ['notification'] }, limit: 500, reason: 'load test', again: true };
  for (const dryRun of [true, false]) {
    for (const [action, change] of [
      ['edit', { patch: { priority: 1 } }],
      ['edit', { headers: { [HEADER.messageType]: 'SendSmsCommand' } }],
      ['redrive', {}],
      ['discard', {}],
    ] as const) {
      expect((await post(`/dead-letters/${action}`, { ...call, ...change, dryRun })).status).toBe(200);
    }
  }
  for (const { key, value } of await recordsOf(broker, TOPIC.deadLetterAudit))
    seen.push(String(key), String(value));
  seen.push(await metrics.text());
  expect(seen.join('\n').length).toBeGreaterThan(50_000);
  expect(seen.filter((text) => PLANTED.test(text)).map((text) => text.slice(0, 2_000))).toEqual([]);
});

it('dead letters are shown within limits, however many headers and attempts they have', async () => {
  const attempt = { at: 1, provider: 'p', result: 'transient' };
  const history = Array.from({ length: 2_000 }, (_, index) => ({ ...attempt, attempt: index + 1 }));
  const headers = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, 'x']));
  const { get } = await openWith([
    deadLetterOf('{}', { ...headers, [HEADER.attemptHistory]: JSON.stringify(history) }),
  ]);
  const { body } = await get(`/dead-letters/${PLACE}/0`);
  expect(Object.keys(body['headers'] as object)).toHaveLength(101);
  expect(body['headers']).toMatchObject({ '…': expect.stringMatching(/^19\d\d more headers$/) as string });
  expect(body['history']).toHaveLength(20);
});

it.each([20_000, 200_000])('dead letters of %d levels do not stop an action on others', async (levels) => {
  const deep = `{"jsonParam":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const sound = JSON.stringify({ receiver: '+40722123456', message: 'hello' });
  const { get, post } = await openWith([deadLetterOf(deep), deadLetterOf(sound)]);
  const shown = { status: 200, body: { payload: { isHidden: true } } };
  expect(await get(`/dead-letters/${PLACE}/0`)).toMatchObject(shown);
  const { body } = await post('/dead-letters/edit', {
    selection: { topics: ['notification'] },
    patch: { message: 'good day' },
    reason: 'typing error',
  });
  const why = expect.stringContaining('nested too deeply') as string;
  expect(body).toMatchObject({ letters: [{ result: 'refused', why }, { result: 'edited' }] });
});

const FORGED = [
  'cursor=1',
  'cursor=9999999999999999999:a/0/0',
  'cursor=1:../../0/0',
  'cursor=1:a/0/0&cursor=1:a/0/0',
  'limit=1e9',
  'limit=-1',
  '__proto__=1',
  'topic[__proto__]=1',
  `code=${'a'.repeat(301)}`,
  `key=${encodeURIComponent('a\r\nb')}`,
  'since=2026-05-01T10:00:00',
  'until=2026-02-30',
];

it('callers cannot forge parameters, and get no error for a cursor of a dead letter that does not exist', async () => {
  const { get } = await openWith([deadLetterOf('{}')]);
  for (const query of FORGED)
    expect([query, (await get(`/dead-letters?${query}`)).status]).toEqual([query, 400]);
  const { status, body } = await get('/dead-letters?cursor=9999999999999999:x/0/0');
  expect([status, (body['letters'] as unknown[]).length]).toEqual([200, 1]);
});

it('callers get no files but those of the workbench, and pages of other sites only links', async () => {
  const { url } = await openWith([]);
  const names = '..%2f..%2fpackage.json %2e%2e/%2e%2e/package.json __proto__ constructor %00 main-.js';
  for (const name of names.split(' ')) {
    const response = await fetch(`${url}/workbench/assets/${name}`);
    const type = response.status === 200 ? response.headers.get('content-type') : 'problem';
    expect([name, type]).not.toEqual([name, expect.stringMatching(/json|javascript/)]);
    expect(await response.text()).not.toContain('devDependencies');
  }
  for (const address of ['/dead-letters', '/system', '/notifications?reference=a'])
    for (const [dest, status] of [
      ['empty', 403],
      ['image', 403],
      ['iframe', 403],
      ['document', 200],
    ] as const) {
      const response = await fetch(url + OPERATIONS + address, { headers: crossSite(dest) });
      await response.body?.cancel();
      expect([address, dest, response.status]).toEqual([address, dest, status]);
    }
});

it('callers of the audit see neither control characters nor marks that turn text around', async () => {
  const { get, post } = await openWith([deadLetterOf('{}')]);
  const selection = { ids: [`${PLACE}/0`] };
  const broken = await post('/dead-letters/discard', { selection, reason: 'a\r\nset-cookie: b' });
  expect(broken.status).toBe(400);
  await post('/dead-letters/discard', { selection, reason: 'paid \u202Eback' });
  const { body } = await get(`/dead-letters/${PLACE}/0`);
  expect(body['audit']).toMatchObject([{ reason: 'paid ?back' }]);
});

const crossSite = (dest: string) => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': dest });
