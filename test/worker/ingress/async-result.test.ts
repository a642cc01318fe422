import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { beforeEach, expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import type { RunningIngress } from '../../../workers/ingress/ingress.ts';
import { createFakeRequester, type FakeRequester } from '../../support/fakes/requester.ts';
import { tokenAccess } from '../../support/fakes/token-access.ts';
import {
  createTestBroker,
  ECHO_PATH,
  openTestIngress,
  postEcho,
  publishTo,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';

const RESPOND_ASYNC = { prefer: 'respond-async' };
const START_MS = Date.parse('2025-01-15T10:00:00Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let broker: Broker;
let nowMs: number;
let requester: FakeRequester;

beforeEach(async () => {
  broker = await createTestBroker();
  nowMs = START_MS;
  requester = createFakeRequester(() => ({ kind: 'problem', problem: createProblem('unexpected') }));
});

const open = (settings: IngressSettings = {}) =>
  openTestIngress({ broker, requester, clock: { now: () => nowMs }, ...settings });

type Accepted = Readonly<Record<'resultId' | 'status' | 'href', string>>;

async function submit(ingress: RunningIngress, headers: Record<string, string> = {}): Promise<Accepted> {
  const response = await postEcho(ingress, { jsonParam: 1 }, { ...RESPOND_ASYNC, ...headers });
  expect(response.status).toBe(202);
  return (await response.json()) as Accepted;
}

async function reply(payload: unknown, headers: Record<string, string> = {}): Promise<void> {
  const correlationId = requester.fired.at(-1)?.request.correlationId ?? '';
  const value = Buffer.from(JSON.stringify(payload));
  const all = { ...headers, [HEADER.correlationId]: correlationId, [HEADER.messageType]: 'EchoReply' };
  await publishTo(broker, [
    { topic: TOPIC.ingressResults, key: correlationId, value, headers: all, timestampMs: nowMs },
  ]);
}

async function postFrom(localAddress: string, url: string): Promise<string> {
  const headers = { ...RESPOND_ASYNC, 'content-type': 'application/json' };
  const sent = httpRequest(url, { method: 'POST', localAddress, headers });
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(202);
  return response.headers.location ?? '';
}

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

it('Prefer: respond-async responds with 202 and the address of the result, with the results topic as reply address', async () => {
  const ingress = await open();
  const response = await postEcho(ingress, { odd: 1 }, RESPOND_ASYNC);
  expect(response.status).toBe(202);
  const body = (await response.json()) as Accepted;
  const { resultId, href } = body;
  expect(body).toEqual({ resultId, status: 'pending', href: `/platapi/results/${resultId}` });
  const headers = ['location', 'preference-applied', 'warnings'].map((name) => response.headers.get(name));
  expect(headers).toEqual([href, 'respond-async', 'unknown-member;odd']);
  expect(requester.requests).toEqual([]);
  const request = { type: 'EchoRequest', timeoutMs: 60 * SECOND, payload: { odd: 1 } };
  expect(requester.fired).toMatchObject([{ replyTopic: TOPIC.ingressResults, request }]);
});

it('a result responds pending with Retry-After, then always with the same body and warnings', async () => {
  const ingress = await open();
  const { href, resultId } = await submit(ingress);
  const pending = await fetch(ingress.url + href);
  expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '1']);
  expect(await pending.json()).toEqual({ resultId, status: 'pending', href });
  await reply([{ PMT: 17.01 }], {
    [HEADER.warnings]: 'no-effect;jsonParam.UnusedAmount',
    [HEADER.holidayCalendar]: 'RO;version=2026.1',
    [HEADER.versions]: 'engine=0.1.0, rules=1, day=2026-05-15',
  });
  await expect.poll(() => statusOf(ingress.url + href)).toBe(200);
  const done = await fetch(ingress.url + href);
  expect(await done.text()).toBe('[{"PMT":17.01}]');
  expect(Object.fromEntries(done.headers)).toMatchObject({
    warnings: 'no-effect;jsonParam.UnusedAmount',
    'holiday-calendar': 'RO;version=2026.1',
    versions: 'engine=0.1.0, rules=1, day=2026-05-15',
    'cache-control': 'no-store',
  });
  await reply([{ PMT: 99 }]);
  expect(await (await fetch(ingress.url + href)).text()).toBe('[{"PMT":17.01}]');
});

it('a result is served by any instance, even by one that starts later', async () => {
  const { href } = await submit(await open());
  const second = await open();
  await reply({ a: 1 });
  const third = await open();
  for (const { url } of [second, third]) await expect.poll(() => statusOf(url + href)).toBe(200);
  expect(await statusOf((await open({ resultSecret: 'another secret' })).url + href)).toBe(404);
});

it('a result is 504 when the deadline passed, 200 if it arrives later, and 404 for another id', async () => {
  const ingress = await open();
  const { href } = await submit(ingress);
  nowMs += 61 * SECOND;
  expect(await statusOf(ingress.url + href)).toBe(202);
  nowMs += 2 * SECOND;
  const late = await fetch(ingress.url + href);
  expect([late.status, await late.json()]).toMatchObject([504, { code: 'reply-timeout' }]);
  await reply({ a: 1 });
  await expect.poll(() => statusOf(ingress.url + href)).toBe(200);
  const at = href.length - 30;
  const forged = href.slice(0, at) + (href[at] === 'A' ? 'B' : 'A') + href.slice(at + 1);
  for (const path of [forged, `${href}x`, '/platapi/results/abc', '/platapi/results/a.b']) {
    const response = await fetch(ingress.url + path);
    expect([path, await response.json()]).toMatchObject([path, { status: 404, code: 'not-found' }]);
  }
});

it('a result returns 410 after its retention, never 504', async () => {
  const ingress = await open({ options: { asyncTimeoutMs: 30 * 60 * SECOND } });
  const { href } = await submit(ingress);
  await reply({ a: 1 });
  await expect.poll(() => statusOf(ingress.url + href)).toBe(200);
  nowMs += HOUR + 29 * 60 * SECOND;
  expect(await statusOf(ingress.url + href)).toBe(200);
  nowMs += 2 * 60 * SECOND;
  const gone = await fetch(ingress.url + href);
  expect([gone.status, await gone.json()]).toMatchObject([410, { code: 'result-gone' }]);
});

it('a result is 410, not 504, when it was or may have been evicted for the size limit', async () => {
  const ingress = await open({ options: { resultStoreBytes: 2_000 } });
  const forgotten = await submit(ingress);
  const { href } = await submit(ingress);
  await reply({ text: 'x'.repeat(1_000) });
  await expect.poll(() => statusOf(ingress.url + href)).toBe(200);
  nowMs += 90 * SECOND;
  const second = await submit(ingress);
  await reply({ text: 'y'.repeat(1_000) });
  await expect.poll(() => statusOf(ingress.url + second.href)).toBe(200);
  expect(await statusOf(ingress.url + href)).toBe(410);
  expect(await statusOf(ingress.url + forgotten.href)).toBe(410);
});

/** Where there are no tokens, by another address of this machine; only Linux has one. */
const isLinux = process.platform === 'linux';
const loud = { authorization: 'Bearer loud' };
const askers: [string, IngressSettings, (ingress: RunningIngress) => Promise<string>][] = [
  ['token', { access: tokenAccess() }, async (ingress) => (await submit(ingress, loud)).href],
  ['address', {}, ({ url }) => postFrom('127.0.0.2', url + ECHO_PATH)],
];

it.each(isLinux ? askers : askers.slice(0, 1))(
  'a result stays while another %s asks without end',
  async (_who, settings, ask) => {
    const ingress = await open({ ...settings, options: { resultStoreBytes: 8_000 } });
    const quiet = { authorization: 'Bearer quiet' };
    const { href } = await submit(ingress, quiet);
    await reply({ text: 'x'.repeat(1_000) });
    const read = async (path = '', headers = quiet) => (await fetch(ingress.url + path, { headers })).status;
    await expect.poll(() => read(href)).toBe(200);
    const loudHrefs: string[] = [];
    for (let sent = 0; sent < 10; sent++) {
      loudHrefs.push(await ask(ingress));
      await reply({ text: 'y'.repeat(1_000) });
    }
    await expect.poll(() => read(loudHrefs.at(-1), loud)).toBe(200);
    expect([await read(loudHrefs[0], loud), await read(href)]).toEqual([410, 200]);
  },
);
