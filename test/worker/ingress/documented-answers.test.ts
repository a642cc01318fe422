import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import nodePath from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { ACTIONS, ACTIONS_BY_NAME } from '../../../shared/api/actions/actions.ts';
import { openApiDocument } from '../../../shared/api/documents/openapi.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { idOf, send, SMS, statusOf } from '../../support/builders/notification-call.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import {
  createTestBroker,
  openNotificationIngress,
  openTestIngress,
  startTestIngress,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';
import { productValue, recordOf } from '../../support/worlds/catalogue-world.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { startSimulationWithExamples, startWithExamples } from '../../support/worlds/product-worker.ts';
import { createLetterTopics, OPERATIONS, publishLetters } from '../../support/worlds/operations-calls.ts';
import { openSentMessages } from '../../../shared/notification/sent-messages.ts';
import type { OutboxReader } from '../../../workers/ingress/operations/outbox-routes.ts';
import { OPERATIONS_LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import { openRawHttp } from '../../support/raw-http.ts';
import { ACTION_PATH, post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';

/** A response of the document, with its references resolved. */
interface Documented {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<
    Record<string, { schema: z.core.JSONSchema.BaseSchema; examples?: Readonly<Record<string, object>> }>
  >;
}
type Operation = Readonly<Record<'get' | 'post', { responses: Readonly<Record<string, Documented>> }>>;

const document = openApiDocument({ version: '1.2.3' });
const { paths } = resolved(document) as { paths: Readonly<Record<string, Operation>> };
const ACTION_PREFIX = '/platapi/automation-processors/actions/';
const [firstAction, ...otherActions] = ACTIONS.map(({ name }) => ACTION_PREFIX + name);
/** The address of the generic form. */
const GENERIC = `${ACTION_PREFIX}{action}`;
const SYSTEM = '/api/operations/v1/system';
/** Documents the same problems as SYSTEM. */
const OF_SYSTEM = [`${SYSTEM}/settings`];
const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const FIND = `${OPERATIONS}/notifications`;
const TIMELINE = `${OPERATIONS}/notifications/{notificationId}`;
const LETTERS = `${OPERATIONS}/dead-letters`;
const LETTER = `${LETTERS}/{topic}/{partition}/{offset}`;
const LETTER_ACTIONS = ['redrive', 'edit', 'discard', 'mark-sent'].map((action) => `${LETTERS}/${action}`);
const OUTBOX = `${OPERATIONS}/outbox`;
const OUTBOX_MESSAGE = `${OUTBOX}/{messageId}`;
const OUTBOX_HTML = `${OUTBOX_MESSAGE}/html`;
const PRODUCTS = `${OPERATIONS}/products`;
const PRODUCT = `${PRODUCTS}/{code}`;
const PRODUCT_VERSION = `${PRODUCT}/versions/{version}`;
const EMAIL_PATH = '/api/notifications/v1/email/send';
const SMS_PATH = '/api/notifications/v1/sms/send';
const documented = new Map<string, Documented>(
  Object.entries(paths).flatMap(([path, { get, post: posted }]) =>
    Object.entries((posted ?? get).responses)
      .filter(
        ([status]) =>
          status === '200' ||
          (path === GENERIC && status === '202') ||
          ![GENERIC, ...otherActions, ...OF_SYSTEM].includes(path),
      )
      .filter(() => path !== EMAIL_PATH)
      .map(([status, answer]) => [`${shortName(path)} ${status}`, answer] as const),
  ),
);

/** Headers that every HTTP server sends, security headers for browsers, and one for proxies. */
const UNDOCUMENTED = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
  'transfer-encoding',
  'x-accel-buffering',
]);
/** Headers that only some responses have. */
const OPTIONAL = new Set(['warnings', 'holiday-calendar', 'preference-applied', 'location']);
/** A 403 says which scope a token lacks. */
const OPTIONAL_403 = new Set([...OPTIONAL, 'www-authenticate']);

const RESPOND_ASYNC = { prefer: 'respond-async' };
const PROOF = { jsonParam: PROOF_REQUEST };

async function system(env: Record<string, string> = {}) {
  const broker = await createSharedBroker(1);
  await startOn(broker, startScheduleWorker);
  await startOn(broker, startWithExamples);
  await startOn(broker, startSimulationWithExamples);
  let nowMs = Date.now();
  const clock = { now: () => nowMs };
  const ingress = await startOn(broker, startIngressWorker, env, clock);
  return { broker, url: ingress.url, passMs: (ms: number) => (nowMs += ms) };
}

/** An ingress without workers, with the actions of the interface. */
const alone = (settings: IngressSettings = {}, open = openTestIngress) =>
  open({
    requester: createFakeRequester(() => new Promise(() => undefined)),
    actions: ACTIONS_BY_NAME,
    ...settings,
  });

const unready = () =>
  alone(
    { requester: createFakeRequester(() => Promise.reject(new Error()), new Promise(() => undefined)) },
    startTestIngress,
  );

/** Sends an asynchronous request; `fetchResult` polls until its result is no longer pending. */
async function later(url: string, body: unknown = PROOF, headers: Record<string, string> = {}) {
  const accepted = await post(url, body, { headers: { ...RESPOND_ASYNC, ...headers } });
  const { resultId } = (await accepted.json()) as { resultId: string };
  const fetchResult = async (sent: Record<string, string> = headers): Promise<Response> => {
    const first = await fetch(`${url}/platapi/results/${resultId}`, { headers: sent });
    return first.status === 202 ? fetchResult(sent) : first;
  };
  const [, correlationId = ''] = Buffer.from(resultId.split('.')[0] ?? '', 'base64url')
    .toString()
    .split('\n');
  return { resultId, correlationId, fetchResult };
}

/** Publishes a result that cannot be decoded. */
async function publishBrokenResult(broker: Broker, correlationId: string): Promise<void> {
  const publisher = broker.createPublisher({ clientId: 'broken' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const headers = { [HEADER.correlationId]: correlationId };
  await publisher.publish([
    { topic: TOPIC.ingressResults, key: 'k', value: Buffer.from([0, 1]), headers, timestampMs: Date.now() },
  ]);
}

/** Sends bytes that fetch() would refuse to send, and parses the response. */
async function sendRaw(bytes: string): Promise<Response> {
  const ingress = await alone({
    options: { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 50 },
  });
  const raw = await openRawHttp(ingress.port);
  raw.send(bytes);
  await raw.closed();
  const [head = '', body = ''] = (await raw.received(() => true)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return new Response(body, {
    status: Number(statusLine.split(' ')[1]),
    headers: lines.map((line) => line.split(': ') as [string, string]),
  });
}

const unhealthySchedule = () => ({ schedule: { status: 'unhealthy', reason: 'no progress' } as const });
const NO_KEYS = { AUTH_JWKS_URL: 'http://127.0.0.1:1/keys' };
const LONG = `X-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
const LETTER_ACTION = { selection: { topics: ['notification'] }, reason: 'a test' };
/** Calls of the addresses for callers and of the state of the system. */
const SENT: Readonly<Record<string, { readonly path: string; readonly body?: object }>> = {
  action: { path: ACTION_PATH, body: PROOF },
  result: { path: '/platapi/results/none' },
  sms: { path: SMS_PATH, body: SMS },
  notification: { path: '/api/notifications/v1/x' },
  [SYSTEM]: { path: SYSTEM },
};
const FOREIGN = { headers: { origin: 'https://evil.example' } };

/** A request that leads to each documented response. */
const PROVOKE: Readonly<Record<string, () => Promise<Response>>> = {
  'action 200': async () => post((await system()).url, { jsonParam: { ...PROOF_REQUEST, Unknown: 1 } }),
  'action 400': async () => post((await alone()).url, { jsonParam: { Amount: '100' } }),
  'action 403': async () =>
    post(
      (await system({ AUTH_JWT_SECRET: JWT_SECRET })).url,
      { user_name: 'eve', Data: PROOF },
      { headers: await authorize('ana') },
    ),
  'action 404': async () => post((await alone()).url, PROOF, { path: `${ACTION_PATH}s` }),
  'action 413': async () => post((await alone()).url, 'x'.repeat(300_000)),
  'action 415': async () => post((await alone()).url, PROOF, { headers: { 'content-type': 'text/plain' } }),
  'action 422': async () =>
    post((await system()).url, { jsonParam: { ...PROOF_REQUEST, ScheduleType: 'Nothing', Unknown: 1 } }),
  'action 500': async () =>
    post(
      (await alone({ requester: createFakeRequester(() => Promise.reject(new Error('a bug'))) })).url,
      PROOF,
    ),
  'action 503': async () => post((await unready()).url, PROOF),
  'action 504': async () =>
    post(
      (await startOn(await createSharedBroker(1), startIngressWorker, { REPLY_TIMEOUT_MS: '50' })).url,
      PROOF,
    ),
  ...Object.fromEntries(
    ACTIONS.slice(1).map(({ name, examples: [{ request }] }) => [
      `${name} 200`,
      async () => post((await system()).url, { ...request, Unknown: 1 }, { path: ACTION_PREFIX + name }),
    ]),
  ),
  'generic 200': async () =>
    post(
      (await system()).url,
      { Data: PROOF, Unknown: 1 },
      { path: ACTION_PREFIX + 'plat_bp_CALCULATErepaymentschedule' },
    ),
  'generic 202': async () => post((await system()).url, PROOF, { headers: RESPOND_ASYNC }),
  'result 200': async () => (await later((await system()).url)).fetchResult(),
  'result 202': async () => {
    const { url } = await alone();
    const { resultId } = await later(url);
    return fetch(`${url}/platapi/results/${resultId}`);
  },
  'result 400': async () => fetch(`${(await alone()).url}/platapi/results/%ff`),
  'result 404': async () => {
    const { url } = await system({ AUTH_JWT_SECRET: JWT_SECRET });
    return (await later(url, PROOF, await authorize('ana'))).fetchResult(await authorize('eve'));
  },
  'result 410': async () => {
    const { url, passMs } = await system();
    const { fetchResult } = await later(url);
    passMs(24 * 3_600_000);
    return fetchResult();
  },
  'result 422': async () =>
    (
      await later((await system()).url, { jsonParam: { ...PROOF_REQUEST, ScheduleType: 'Nothing' } })
    ).fetchResult(),
  'result 500': async () => {
    const broker = await createSharedBroker(1);
    const { url } = await startOn(broker, startIngressWorker);
    const { correlationId, fetchResult } = await later(url);
    await publishBrokenResult(broker, correlationId);
    return fetchResult();
  },
  'result 504': async () => {
    const { url, passMs } = await systemWithoutSchedule();
    const { fetchResult } = await later(url);
    passMs(120_000);
    return fetchResult();
  },
  'sms 202': async () => send((await notifying()).url, 'sms', { ...SMS, extra: 1 }),
  'sms 400': async () => send((await notifying()).url, 'sms', {}),
  'sms 403': async () => send((await notifying()).url, 'sms', SMS, { without: ['x-sender-id'] }),
  'sms 409': conflict,
  'sms 413': async () => send((await notifying()).url, 'sms', { ...SMS, message: 'x'.repeat(300_000) }),
  'sms 415': async () =>
    send((await notifying()).url, 'sms', SMS, { headers: { 'content-type': 'text/plain' } }),
  'sms 422': async () => send((await notifying({ NOTIFICATION_COUNTRIES: 'MD' })).url, 'sms', SMS),
  'sms 500': async () => {
    const notificationPublisher = failing(() => Promise.reject(new TypeError('a bug')));
    return send((await notifying({}, { notificationPublisher })).url, 'sms', SMS);
  },
  'sms 503': async () => send((await unready()).url, 'sms', SMS),
  'sms 504': async () =>
    send((await notifying({}, { notificationPublisher: failing(failUnknown) })).url, 'sms', SMS),
  'notification 200': sentStatus,
  'notification 400': async () => statusOf((await notifying()).url, '%ff'),
  'notification 404': async () => statusOf((await notifying()).url, 'x'),
  [`${SYSTEM} 200`]: async () => fetch((await alone()).url + SYSTEM),
  [`${SYSTEM} 400`]: () => sendRaw(`GET ${SYSTEM} HTTP/1.1\r\n\r\n`),
  [`${SYSTEM}/settings 200`]: async () => fetch(`${(await alone()).url}${SYSTEM}/settings`),
  ...Object.fromEntries(
    [
      ...Object.keys(SENT),
      FIND,
      TIMELINE,
      LETTERS,
      LETTER,
      ...LETTER_ACTIONS,
      OUTBOX,
      OUTBOX_MESSAGE,
      PRODUCTS,
      PRODUCT,
      PRODUCT_VERSION,
    ].flatMap(refusals),
  ),
  ...Object.fromEntries(refusalsOfAll(OUTBOX_HTML)),
  ...Object.fromEntries(
    ['result', 'notification', SYSTEM].flatMap((address): Provocations => [
      [`${address} 403`, async () => fetch((await alone()).url + pathOf(address), FOREIGN)],
      [`${address} 503`, () => withoutKeys(pathOf(address))],
    ]),
  ),
  [`${FIND} 200`]: async () => {
    const { url } = await notifying();
    await send(url, 'sms', SMS, { headers: { 'idempotency-key': 'payment-7' } });
    return operate(url, FIND);
  },
  [`${FIND} 400`]: async () => fetch((await alone()).url + FIND),
  [`${FIND} 403`]: async () =>
    fetch(`${(await guarded()).url}${FIND}?reference=k&caller=shop`, { headers: await authorize('ana') }),
  [`${FIND} 503`]: async () => operate((await unready()).url, FIND),
  [`${TIMELINE} 200`]: async () => {
    const { url } = await notifying();
    return fetch(`${url}${FIND}/${await idOf(send(url, 'sms', SMS))}`);
  },
  [`${TIMELINE} 400`]: async () => fetch(`${(await alone()).url}${FIND}/%ff`),
  [`${TIMELINE} 403`]: async () => fetch(`${(await alone()).url}${FIND}/${ID}`, FOREIGN),
  [`${TIMELINE} 404`]: async () => operate((await alone()).url, TIMELINE),
  [`${TIMELINE} 503`]: async () => operate((await unready()).url, TIMELINE),
  [`${LETTERS} 400`]: async () => fetch(`${(await alone()).url}${LETTERS}?limit=0`),
  [`${LETTER} 400`]: async () => fetch(`${(await alone()).url}${LETTERS}/%ff/0/0`),
  [`${LETTER} 404`]: async () => operate((await withLetters(0)).url, LETTER),
  ...Object.fromEntries([LETTERS, LETTER, ...LETTER_ACTIONS].flatMap(answersOfLetters)),
  ...Object.fromEntries(LETTER_ACTIONS.flatMap(answersOfAction)),
  ...Object.fromEntries([OUTBOX, OUTBOX_MESSAGE].flatMap(answersOfOutbox)),
  [`${OUTBOX} 404`]: async () => operate((await alone()).url, OUTBOX),
  [`${OUTBOX_MESSAGE} 404`]: async () =>
    fetch(`${(await alone({ outbox: await outbox() })).url}${OUTBOX}/${ID.replace('0b', '1b')}`),
  [`${OUTBOX_HTML} 200`]: () => htmlOf(({ read }) => read(ID)),
  [`${OUTBOX_HTML} 400`]: () => sendRaw(`GET ${pathOf(OUTBOX_HTML)} HTTP/1.1\r\n\r\n`),
  [`${OUTBOX_HTML} 403`]: async () => operate((await alone({ outbox: await outbox() })).url, OUTBOX_HTML),
  [`${OUTBOX_HTML} 404`]: () => htmlOf(async () => undefined),
  [`${OUTBOX_HTML} 429`]: () => limited(OUTBOX_HTML),
  [`${OUTBOX_HTML} 500`]: () => htmlOf(failDisk),
  ...Object.fromEntries([PRODUCTS, PRODUCT, PRODUCT_VERSION].flatMap(answersOfProducts)),
  [`${PRODUCT} 404`]: async () => fetch(`${await withCatalogue()}${PRODUCTS}/none`),
  [`${PRODUCT_VERSION} 404`]: async () => fetch(`${await withCatalogue()}${PRODUCTS}/TL/versions/9`),
  '/health/live 200': async () => fetch(`${(await alone()).url}/health/live`),
  '/health/live 403': async () => fetch(`${(await alone()).url}/health/live`, FOREIGN),
  '/health/live 503': async () =>
    fetch(`${(await alone({ otherWorkers: unhealthySchedule })).url}/health/live`),
  '/health/ready 200': async () => fetch(`${(await alone()).url}/health/ready`),
  '/health/ready 403': async () => fetch(`${(await alone()).url}/health/ready`, FOREIGN),
  '/health/ready 503': async () => fetch(`${(await unready()).url}/health/ready`),
  '/metrics 403': async () => fetch(`${(await alone()).url}/metrics`, FOREIGN),
  '/metrics 200': async () => fetch(`${(await alone()).url}/metrics`),
};

/** A path of an address. */
function pathOf(address: string): string {
  const path = (SENT[address]?.path ?? address)
    .replace('{topic}/{partition}/{offset}', `${TOPIC.notificationDeadLetters}/0/0`)
    .replace('{code}', 'TL')
    .replace('{version}', '1')
    .replace(/{\w+}/, ID);
  return address === FIND ? `${path}?reference=payment-7` : path;
}

function methodOf(address: string): 'GET' | 'POST' {
  return LETTER_ACTIONS.includes(address) || SENT[address]?.body !== undefined ? 'POST' : 'GET';
}

/** A valid call of an address; `body` replaces that of an action on dead letters. */
function operate(
  url: string,
  address: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  if (methodOf(address) === 'GET') return fetch(url + pathOf(address), { headers });
  const edit = address.endsWith('/edit') ? { patch: { receiver: '+40722123457' } } : {};
  return fetch(url + pathOf(address), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body ?? JSON.stringify(SENT[address]?.body ?? { ...LETTER_ACTION, ...edit }),
  });
}

type Provocations = [name: string, provoke: () => Promise<Response>][];

/** The refusals that do not depend on the address. */
function refusalsOfAll(address: string): Provocations {
  const start = `${methodOf(address)} ${pathOf(address)} HTTP/1.1\r\nHost: localhost\r\n`;
  return [
    [`${address} 405`, async () => fetch((await alone()).url + pathOf(address), { method: 'DELETE' })],
    [`${address} 408`, () => sendRaw(start)],
    [`${address} 431`, () => sendRaw(start + LONG)],
  ];
}

/** The refusals of all addresses that need a token. */
function refusals(address: string): Provocations {
  return [
    ...refusalsOfAll(address),
    [`${address} 401`, async () => operate((await guarded()).url, address)],
    [`${address} 429`, () => limited(address)],
  ];
}

const guarded = () => notifying({ AUTH_JWT_SECRET: JWT_SECRET });

/** The answer to a token with the scope of the other addresses. */
async function withOtherScope(address: string): Promise<Response> {
  const scope = methodOf(address) === 'GET' ? 'operations:write' : 'operations:read';
  return operate((await guarded()).url, address, { headers: await authorize('ana', scope) });
}

/** An ingress over an embedded broker with dead letters of SMS. */
async function withLetters(count: number) {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, count);
  return { broker, url: (await openNotificationIngress({ broker })).url };
}

function answersOfLetters(address: string): Provocations {
  return [
    [`${address} 200`, async () => operate((await withLetters(1)).url, address)],
    [`${address} 403`, () => withOtherScope(address)],
    [
      `${address} 500`,
      async () => {
        const { broker, url } = await withLetters(1);
        vi.spyOn(broker.admin, 'partitionCounts').mockRejectedValue(new TypeError('a bug'));
        return operate(url, address);
      },
    ],
    // Its topics are missing.
    [`${address} 503`, async () => operate((await alone()).url, address)],
  ];
}

function answersOfAction(address: string): Provocations {
  const sendBody = async (body: string, headers = {}) =>
    operate((await withLetters(1)).url, address, { body, headers });
  return [
    [`${address} 400`, () => sendBody('{"selection": {}}')],
    [`${address} 413`, () => sendBody('x'.repeat(300_000))],
    [`${address} 415`, () => sendBody('{}', { 'content-type': 'text/plain' })],
    [
      `${address} 422`,
      async () => {
        const { broker, url } = await withLetters(1);
        await fillLetterTopics(broker);
        return operate(url, address);
      },
    ],
  ];
}

/** Publishes as many records as a call scans, evenly to all dead-letter topics: an embedded broker keeps fewer of one topic. */
async function fillLetterTopics(broker: Broker): Promise<void> {
  const publisher = broker.createPublisher({ clientId: 'many' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const places = Object.values(TOPIC)
    .filter((topic) => topic.endsWith('dead-letters.v1'))
    .flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
  const count = Math.ceil(OPERATIONS_LIMITS.scannedLetters / places.length);
  for (const place of places) {
    const record = { ...place, key: 'k', value: Buffer.from('{}'), headers: {} };
    await publisher.publish(Array.from({ length: count }, () => record));
  }
}

function answersOfOutbox(address: string): Provocations {
  return [
    [`${address} 200`, async () => operate((await alone({ outbox: await outbox() })).url, address)],
    [`${address} 400`, () => sendRaw(`GET ${pathOf(address)} HTTP/1.1\r\n\r\n`)],
    [`${address} 403`, () => withOtherScope(address)],
    [
      `${address} 500`,
      async () => operate((await alone({ outbox: { list: failDisk, read: failDisk } })).url, address),
    ],
    [`${address} 503`, () => withoutKeys(pathOf(address))],
  ];
}

/** An ingress over an embedded broker with a product. */
async function withCatalogue(): Promise<string> {
  const broker = await createSharedBroker(1);
  await changesOf(broker, TOPIC.catalogueRecords)({ put: [recordOf('product', productValue('TL'))] });
  return (await startOn(broker, startIngressWorker)).url;
}

function answersOfProducts(address: string): Provocations {
  return [
    [`${address} 200`, async () => operate(await withCatalogue(), address)],
    [
      `${address} 304`,
      async () => {
        const url = await withCatalogue();
        const etag = (await operate(url, address)).headers.get('etag') ?? '';
        return operate(url, address, { headers: { 'if-none-match': etag } });
      },
    ],
    [
      `${address} 400`,
      async () =>
        fetch(`${await withCatalogue()}${address === PRODUCTS ? `${PRODUCTS}?x=1` : `${PRODUCTS}/%ff`}`),
    ],
    [`${address} 403`, () => withOtherScope(address)],
    [
      `${address} 500`,
      async () => {
        const broker = await createSharedBroker(1);
        const { url } = await startOn(broker, startIngressWorker);
        vi.spyOn(broker.admin, 'partitionCounts').mockRejectedValue(new TypeError('a bug'));
        return operate(url, address);
      },
    ],
    // Its topic is missing.
    [`${address} 503`, async () => operate((await alone()).url, address)],
  ];
}

const failDisk = () => Promise.reject(new Error('the disk failed'));

/** A local outbox with one e-mail. */
async function outbox(): Promise<OutboxReader> {
  const folder = await mkdtemp(nodePath.join(tmpdir(), 'plat-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const opened = openSentMessages(folder);
  const head = ['From: a@bank.example', 'To: ana@mail.example', 'Subject: News', 'Content-Type: text/html'];
  await opened.write(ID, 'email', Buffer.from(`${head.join('\r\n')}\r\n\r\n<b>Hello</b>\r\n`));
  return opened;
}

/** Reads the HTML of a message by its ticket, while `read` reads the message. */
async function htmlOf(read: (opened: OutboxReader) => ReturnType<OutboxReader['read']>): Promise<Response> {
  const opened = await outbox();
  let readNow: OutboxReader['read'] = (id) => opened.read(id);
  const { url } = await alone({ outbox: { list: (limit) => opened.list(limit), read: (id) => readNow(id) } });
  const { htmlAddress } = (await (await operate(url, OUTBOX_MESSAGE)).json()) as { htmlAddress: string };
  readNow = () => read(opened);
  return fetch(url + htmlAddress);
}

/** An ingress without workers that accepts notifications. */
async function notifying(env: Record<string, string> = {}, settings: IngressSettings = {}) {
  if (Object.keys(settings).length === 0)
    return startOn(await createSharedBroker(1), startIngressWorker, env);
  return openNotificationIngress(settings);
}

/** The answer to one of two calls, of which the ingress accepts one. */
async function limited(address: string): Promise<Response> {
  const env = { RATE_LIMIT_PER_SECOND: '1', REPLY_TIMEOUT_MS: '100' };
  const { url } = await startOn(await createSharedBroker(1), startIngressWorker, env);
  const [first, second] = await Promise.all([operate(url, address), operate(url, address)]);
  return first.status === 429 ? first : second;
}

function failing(fails: () => Promise<void>): FakePublisher {
  const publisher = new FakePublisher();
  publisher.onPublish = fails;
  return publisher;
}

/** Sends a token while the key set cannot be fetched. */
async function withoutKeys(path: string): Promise<Response> {
  const { privateKey } = await generateKeyPair('ES256');
  const token = new SignJWT({ sub: 'ana', aud: 'banking-product-engine' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('5m');
  const headers = { authorization: `Bearer ${await token.sign(privateKey)}` };
  return fetch((await system(NO_KEYS)).url + path, { headers });
}

const failUnknown = () => Promise.reject(new MessagingError('send-unknown', 'away', { canRetry: true }));

async function conflict(): Promise<Response> {
  const { url } = await notifying();
  const headers = { 'idempotency-key': 'k' };
  await send(url, 'sms', SMS, { headers });
  return send(url, 'sms', { ...SMS, message: 'Other' }, { headers });
}

async function sentStatus(): Promise<Response> {
  const { url } = await notifying();
  return statusOf(url, await idOf(send(url, 'sms', SMS)));
}

async function systemWithoutSchedule() {
  let nowMs = Date.now();
  const { url } = await startOn(await createSharedBroker(1), startIngressWorker, {}, { now: () => nowMs });
  return { url, passMs: (ms: number) => (nowMs += ms) };
}

it('all actions document the same responses except 200, and the generic form the 202 of all', () => {
  const { 202: accepted, ...others } = responsesBut200(GENERIC);
  expect(accepted).toBeDefined();
  expect(Object.keys(others).length).toBeGreaterThan(10);
  for (const path of [firstAction, ...otherActions]) expect(responsesBut200(path)).toEqual(others);
});

it('SMS and e-mail document the same responses', () => {
  expect(paths[EMAIL_PATH]?.post.responses).toEqual(paths[SMS_PATH]?.post.responses);
});

it('the system addresses document the same responses except 200', () => {
  expect(Object.keys(responsesBut200(SYSTEM)).length).toBeGreaterThan(5);
  for (const path of OF_SYSTEM) expect(responsesBut200(path)).toEqual(responsesBut200(SYSTEM));
});

it('every documented response has a test here, and there are no other tests', () => {
  expect(Object.keys(PROVOKE).toSorted()).toEqual([...documented.keys()].toSorted());
});

it.each(Object.entries(PROVOKE))('the response matches its documentation: %s', async (name, provoke) => {
  const { headers = {}, content = {} } = documented.get(name) ?? {};
  const response = await provoke();
  expect(`${name.split(' ')[0]} ${response.status}`).toBe(name);

  const names = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  const sent = [...response.headers.keys()];
  expect(sent.filter((header) => !names.has(header) && !UNDOCUMENTED.has(header))).toEqual([]);
  const optional = response.status === 403 ? OPTIONAL_403 : OPTIONAL;
  expect([...names].filter((header) => !optional.has(header) && !sent.includes(header))).toEqual([]);

  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  expect(Object.keys(content)).toEqual(response.status === 304 ? [] : [type]);
  if (response.status === 304) return;
  const text = await response.text();
  const body = readBody(type, text);
  const read = z.fromJSONSchema(content[type]?.schema ?? {}).safeParse(body);
  expect(read.error?.issues ?? []).toEqual([]);
  const problem = type === 'application/problem+json' ? (body as Problem) : undefined;
  expect(problem === undefined || Object.keys(content[type]?.examples ?? {}).includes(problem.code)).toBe(
    true,
  );
  expect(problem?.correlationId ?? response.headers.get('x-correlation-id')).toBe(
    response.headers.get('x-correlation-id'),
  );
  expect(problem?.status ?? response.status).toBe(response.status);
});

function responsesBut200(path = ''): Readonly<Record<string, object>> {
  const operations = paths[path];
  const { 200: _ok, ...rest } = (operations?.post ?? operations?.get)?.responses ?? {};
  return rest;
}

function shortName(path: string): string {
  if (path === firstAction) return 'action';
  if (path === GENERIC) return 'generic';
  if (path.startsWith(ACTION_PREFIX)) return path.slice(ACTION_PREFIX.length);
  if (path.startsWith('/api/notifications/')) return path === SMS_PATH ? 'sms' : 'notification';
  return path.startsWith('/platapi/results/') ? 'result' : path;
}

/** The document with its references resolved. */
function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node && typeof node.$ref === 'string') {
    const target = node.$ref.slice(2).split('/');
    return resolved(target.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document));
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}

function readBody(type: string, text: string): unknown {
  return type.startsWith('text/') ? text : JSON.parse(text);
}
