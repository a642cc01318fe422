import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ACTIONS, ACTIONS_BY_NAME } from '../../../shared/api/actions/actions.ts';
import { openApiDocument } from '../../../shared/api/documents/openapi.ts';
import { OPERATIONS_LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { openSentMessages } from '../../../shared/notification/sent-messages.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { createProblem, type ErrorCode, type Problem } from '../../../shared/platform/problem.ts';
import examples from '../../../shared/api/notification/examples.json' with { type: 'json' };
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import type { OutboxReader } from '../../../workers/ingress/operations/outbox-routes.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { idOf, send, SMS, statusOf } from '../../support/builders/notification-call.ts';
import { post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { openRawHttp } from '../../support/raw-http.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { productValue, recordOf } from '../../support/worlds/catalogue-world.ts';
import {
  createTestBroker,
  openNotificationIngress,
  openTestIngress,
  publishTo,
  startTestIngress,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { createLetterTopics, OPERATIONS, publishLetters } from '../../support/worlds/operations-calls.ts';
import { startSimulationWithExamples, startWithExamples } from '../../support/worlds/product-worker.ts';

interface Documented {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<
    Record<string, { schema: z.core.JSONSchema.BaseSchema; examples?: Readonly<Record<string, object>> }>
  >;
}
type Operation = Readonly<
  Record<'get' | 'post' | 'delete', { responses: Readonly<Record<string, Documented>> }>
>;

const document = openApiDocument('1.2.3');
const { paths } = resolved(document) as { paths: Readonly<Record<string, Operation>> };
const ACTION_PREFIX = '/platapi/automation-processors/actions/';
const [ACTION = '', ...OTHER_ACTIONS] = ACTIONS.map(({ name }) => ACTION_PREFIX + name);
const GENERIC = `${ACTION_PREFIX}{action}`;
const RESULT = '/platapi/results/{resultId}';
const SMS_PATH = '/api/notifications/v1/sms/send';
const EMAIL_PATH = '/api/notifications/v1/email/send';
const SMS_BATCH = `${SMS_PATH}/batch`;
const STATUS = '/api/notifications/v1/{notificationId}';
const VERIFICATIONS = '/api/notifications/v1/verifications';
const VERIFICATION = `${VERIFICATIONS}/{verificationId}`;
const FIND = `${OPERATIONS}/notifications`;
const TIMELINE = `${FIND}/{notificationId}`;
const LETTERS = `${OPERATIONS}/dead-letters`;
const LETTER = `${LETTERS}/{topic}/{partition}/{offset}`;
const OUTBOX = `${OPERATIONS}/outbox`;
const OUTBOX_MESSAGE = `${OUTBOX}/{messageId}`;
const OUTBOX_HTML = `${OUTBOX_MESSAGE}/html`;
const SUPPRESSIONS = `${OPERATIONS}/suppressions`;
const [ADD, REMOVE] = [`${SUPPRESSIONS}/add`, `${SUPPRESSIONS}/remove`];
const PRODUCTS = `${OPERATIONS}/products`;
const PRODUCT = `${PRODUCTS}/{code}`;
const VERSION = `${PRODUCT}/versions/{version}`;
const SYSTEM = `${OPERATIONS}/system`;
const SETTINGS = `${SYSTEM}/settings`;
const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';

/** Headers that every HTTP server sends, security headers for browsers, and two for proxies. */
const UNDOCUMENTED = new Set(
  `cache-control connection content-length content-type date keep-alive x-content-type-options
  transfer-encoding vary x-accel-buffering`.split(/\s+/),
);
/** Headers that only some responses have. */
const OPTIONAL = ['warnings', 'holiday-calendar', 'versions', 'preference-applied', 'location'];
/** A 403 says which scope a token lacks. */
const OPTIONAL_403 = [...OPTIONAL, 'www-authenticate'];

const PROOF = { jsonParam: PROOF_REQUEST };
const UNKNOWN_TYPE = { jsonParam: { ...PROOF_REQUEST, ScheduleType: 'Nothing' } };
const LONG_BODY = 'x'.repeat(300_000);
const FOREIGN = { headers: { origin: 'https://evil.example' } };
const never = () => new Promise<never>(() => undefined);
const fails = (cause: Error) => async (): Promise<never> => {
  throw cause;
};

/** An ingress without workers, with the actions of the interface. */
const alone = (settings: IngressSettings = {}, open = openTestIngress) =>
  open({ requester: createFakeRequester(never), actions: ACTIONS_BY_NAME, ...settings });

const worker = async (env: Record<string, string> = {}) =>
  startOn(await createSharedBroker(1), startIngressWorker, env);

function notPublishing(error: Error) {
  const notificationPublisher = new FakePublisher();
  notificationPublisher.onPublish = fails(error);
  return openNotificationIngress({ notificationPublisher });
}

async function outbox() {
  const opened = openSentMessages(scratchFolder());
  const head = ['From: a@bank.example', 'To: ana@mail.example', 'Subject: News', 'Content-Type: text/html'];
  await opened.write(ID, 'email', Buffer.from(`${head.join('\r\n')}\r\n\r\n<b>Hello</b>\r\n`));
  return opened;
}

async function withLetters(count: number) {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, count);
  return { broker, url: (await openNotificationIngress({ broker })).url };
}

let nowMs = Date.now();

const WORLDS = {
  alone,
  unready: () => alone({ requester: createFakeRequester(fails(new Error()), never()) }, startTestIngress),
  failing: () => alone({ requester: createFakeRequester(fails(new Error('a bug'))) }),
  unhealthy: () =>
    alone({ otherWorkers: () => ({ schedule: { status: 'unhealthy', reason: 'no progress' } }) }),
  slow: () => alone({ options: { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 50 } }),
  system: async () => {
    const broker = await createSharedBroker(1);
    for (const start of [startScheduleWorker, startWithExamples, startSimulationWithExamples])
      await startOn(broker, start);
    return startOn(broker, startIngressWorker);
  },
  unanswered: async () => {
    const broker = await createSharedBroker(1);
    const clock = { now: () => nowMs };
    const ingress = await startOn(broker, startIngressWorker, { REPLY_TIMEOUT_MS: '50' }, clock);
    return { broker, url: ingress.url };
  },
  sending: worker,
  abroad: () => worker({ NOTIFICATION_COUNTRIES: 'MD' }),
  guarded: () => worker({ AUTH_JWT_SECRET: JWT_SECRET }),
  limited: () => worker({ RATE_LIMIT_PER_SECOND: '1', REPLY_TIMEOUT_MS: '100' }),
  withoutKeys: () => worker({ AUTH_JWKS_URL: 'http://127.0.0.1:1/keys' }),
  /** A worker that replies with a verification to one caller. */
  verifying: () =>
    verifying(async () => ({
      kind: 'reply',
      type: 'VerificationReply',
      payload: { ...examples.verification.reply, expiresAt: 0 },
    })),
  brokenPublisher: () => notPublishing(new TypeError('a bug')),
  unknownPublisher: () => notPublishing(new MessagingError('send-unknown', 'away', { canRetry: true })),
  letters: () => withLetters(1),
  /** With as many dead letters as a call scans, in all topics: an embedded broker keeps fewer of one. */
  full: async () => {
    const { broker, url } = await withLetters(1);
    const places = Object.values(TOPIC)
      .filter((topic) => topic.endsWith('dead-letters.v1'))
      .flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
    const count = Math.ceil(OPERATIONS_LIMITS.scannedLetters / places.length);
    for (const place of places) {
      const record = { ...place, key: 'k', value: Buffer.from('{}'), headers: {} };
      await publishTo(
        broker,
        Array.from({ length: count }, () => record),
      );
    }
    return { url };
  },
  products: async () => {
    const broker = await createSharedBroker(1);
    await changesOf(broker, TOPIC.catalogueRecords)({ put: [recordOf('product', productValue('TL'))] });
    return startOn(broker, startIngressWorker);
  },
  unreadable: async () => {
    const broker = await createSharedBroker(1);
    const ingress = await startOn(broker, startIngressWorker);
    vi.spyOn(broker.admin, 'partitionCounts').mockRejectedValue(new TypeError('a bug'));
    return ingress;
  },
  outbox: async () => alone({ outbox: await outbox() }),
  failingOutbox: () => {
    const fail = fails(new Error('the disk failed'));
    return alone({ outbox: { list: fail, read: fail } });
  },
};
type Worlds = typeof WORLDS;
type Open = <Name extends keyof Worlds>(name: Name) => ReturnType<Worlds[Name]>;

function openOnce(): Open {
  const opened = new Map<string, unknown>();
  return (name) => {
    if (!opened.has(name)) opened.set(name, WORLDS[name]());
    return opened.get(name) as ReturnType<Worlds[typeof name]>;
  };
}

const BODIES: Readonly<Record<string, object>> = {
  [ACTION]: PROOF,
  [GENERIC]: { Data: PROOF, Unknown: 1 },
  ...Object.fromEntries(
    ACTIONS.map(({ name, examples: [{ request }] }) => [ACTION_PREFIX + name, { ...request, Unknown: 1 }]),
  ),
  [SMS_PATH]: { ...SMS, extra: 1 },
  [ADD]: { receiver: 'ana@mail.example', reason: 'a test' },
  [REMOVE]: { receiver: 'none@mail.example', reason: 'a test' },
  [SMS_BATCH]: { messages: [{ ...SMS, extra: 1 }, {}] },
  [VERIFICATIONS]: { ...examples.verification.start, extra: 1 },
  [`${VERIFICATION}/check`]: examples.verification.check,
  [`${VERIFICATION}/resend`]: {},
  ...Object.fromEntries(
    ['redrive', 'edit', 'discard', 'mark-sent'].map((action) => {
      const body = { selection: { topics: ['notification'] }, reason: 'a test' };
      const patch = { receiver: '+40722123457' };
      return [`${LETTERS}/${action}`, action === 'edit' ? { ...body, patch } : body];
    }),
  ),
};
const methodOf = (address: string) => (BODIES[address] === undefined ? 'GET' : 'POST');

function pathOf(address: string): string {
  const path = address
    .replace('{topic}/{partition}/{offset}', `${TOPIC.notificationDeadLetters}/0/0`)
    .replace('{code}', 'TL')
    .replace('{version}', '1')
    .replace('{action}', 'plat_bp_CALCULATErepaymentschedule')
    .replace(/{\w+}/, ID);
  return address === FIND ? `${path}?reference=payment-7` : path;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly path?: string;
}

async function call(
  to: Promise<{ readonly url: string }>,
  address: string,
  { headers = {}, body = BODIES[address], path = pathOf(address) }: Sent = {},
): Promise<Response> {
  const { url } = await to;
  if (methodOf(address) === 'GET') return fetch(url + path, { headers });
  const sms = { 'x-communication-channel': '1', 'x-sender-id': 'platrealm' };
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(address.startsWith(SMS_PATH) ? sms : {}), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Sends bytes that fetch() would refuse to send, and parses the response. */
async function sendRaw(to: ReturnType<typeof alone>, address: string, rest: string): Promise<Response> {
  const raw = await openRawHttp((await to).port);
  raw.send(`${methodOf(address)} ${pathOf(address)} HTTP/1.1\r\n${rest}`);
  await raw.closed();
  const [head = '', body = ''] = (await raw.received(() => true)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return new Response(body, {
    status: Number(statusLine.split(' ')[1]),
    headers: lines.map((line) => line.split(': ') as [string, string]),
  });
}

async function withoutKeys(open: Open, address: string): Promise<Response> {
  const { privateKey } = await generateKeyPair('ES256');
  const token = new SignJWT({ sub: 'ana', aud: 'banking-product-engine' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('5m');
  const headers = { authorization: `Bearer ${await token.sign(privateKey)}` };
  return call(open('withoutKeys'), address, { headers });
}

async function withOtherScope(open: Open, address: string): Promise<Response> {
  const scope = methodOf(address) === 'GET' ? 'operations:write' : 'operations:read';
  return call(open('guarded'), address, { headers: await authorize('ana', scope) });
}

type Provoke = (open: Open, address: string) => Promise<Response>;

const BY_STATUS: Readonly<Record<string, Provoke>> = {
  400: (open, address) => sendRaw(open('alone'), address, '\r\n'),
  401: (open, address) => call(open('guarded'), address),
  403: withOtherScope,
  405: async (open, address) => fetch((await open('alone')).url + pathOf(address), { method: 'PUT' }),
  408: (open, address) => sendRaw(open('slow'), address, 'Host: localhost\r\n'),
  413: (open, address) => call(open('sending'), address, { body: LONG_BODY }),
  415: (open, address) => call(open('sending'), address, { headers: { 'content-type': 'text/plain' } }),
  429: async (open, address) => {
    const [one, two] = await Promise.all([1, 2].map(() => call(open('limited'), address)));
    return one?.status === 429 ? one : (two as Response);
  },
  431: (open, address) =>
    sendRaw(open('alone'), address, `Host: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
  503: (open, address) => call(open('unready'), address),
};

const valid =
  (world: keyof Worlds, sent: Sent = {}): Provoke =>
  (open, address) =>
    call(open(world) as Promise<{ url: string }>, address, sent);

const verifying = (answer: Parameters<typeof createFakeRequester>[0]) =>
  openNotificationIngress({ requester: createFakeRequester(answer) });

/** A worker that refuses all requests. */
const refusing =
  (code: ErrorCode): Provoke =>
  (_open, address) =>
    call(
      verifying(async () => ({ kind: 'problem', problem: createProblem(code) })),
      address,
    );

const asAna =
  (sent: Sent): Provoke =>
  async (open, address) =>
    call(open('guarded'), address, { ...sent, headers: await authorize('ana') });

const each = (addresses: readonly string[], provocations: Readonly<Record<string, Provoke>>) =>
  Object.fromEntries(
    addresses.flatMap((address) =>
      Object.entries(provocations).map(([status, provoke]) => [`${address} ${status}`, provoke]),
    ),
  );

const SPECIAL: Readonly<Record<string, Provoke>> = {
  ...each([ACTION, ...OTHER_ACTIONS, GENERIC], { 200: valid('system') }),
  ...each([ACTION], {
    400: valid('alone', { body: { jsonParam: { Amount: '100' } } }),
    403: asAna({ body: { user_name: 'eve', Data: PROOF } }),
    404: valid('alone', { path: `${ACTION}s` }),
    422: valid('system', { body: UNKNOWN_TYPE }),
    500: valid('failing'),
    504: valid('unanswered'),
  }),
  [`${GENERIC} 202`]: valid('system', { headers: { prefer: 'respond-async' } }),
  ...each([RESULT], {
    200: async (open) => (await later((await open('system')).url)).fetchResult(),
    202: async (open) => {
      const { url } = await open('alone');
      return fetch(`${url}/platapi/results/${(await later(url)).resultId}`);
    },
    400: valid('alone', { path: '/platapi/results/%ff' }),
    403: valid('alone', FOREIGN),
    404: async (open) => {
      const { fetchResult } = await later((await open('guarded')).url, PROOF, await authorize('ana'));
      return fetchResult(await authorize('eve'));
    },
    410: (open) => overdue(open, 24 * 3_600_000),
    422: async (open) => (await later((await open('system')).url, UNKNOWN_TYPE)).fetchResult(),
    500: async (open) => {
      const { broker, url } = await open('unanswered');
      const { correlationId, fetchResult } = await later(url);
      await publishBrokenResult(broker, correlationId);
      return fetchResult();
    },
    503: withoutKeys,
    504: (open) => overdue(open, 120_000),
  }),
  ...each([SMS_PATH], {
    202: valid('sending'),
    400: valid('sending', { body: {} }),
    403: valid('sending', { headers: { 'x-sender-id': '' } }),
    409: async (open, address) => {
      const headers = { 'idempotency-key': 'k' };
      await call(open('sending'), address, { headers });
      return call(open('sending'), address, { headers, body: { ...SMS, message: 'Other' } });
    },
    422: valid('abroad'),
    500: valid('brokenPublisher'),
    504: valid('unknownPublisher'),
  }),
  ...each([SMS_BATCH], {
    202: valid('sending'),
    400: valid('sending', { body: { messages: [] } }),
    403: valid('sending', { headers: { 'x-sender-id': '' } }),
    413: valid('sending', { body: LONG_BODY.repeat(50) }),
  }),
  ...each([VERIFICATIONS, `${VERIFICATION}/check`, `${VERIFICATION}/resend`, VERIFICATION], {
    200: valid('verifying'),
    202: valid('verifying'),
    400: valid('alone', { path: `${VERIFICATIONS}/%ff/check`, body: {} }),
    403: valid('alone', FOREIGN),
    404: refusing('unknown-verification'),
    409: refusing('idempotency-conflict'),
    410: refusing('verification-ended'),
    422: refusing('country-not-allowed'),
    500: refusing('unexpected'),
    503: withoutKeys,
    504: refusing('reply-timeout'),
  }),
  ...each([STATUS], {
    200: async (open) => {
      const { url } = await open('sending');
      return statusOf(url, await idOf(send(url, 'sms', SMS)));
    },
    400: valid('sending', { path: '/api/notifications/v1/%ff' }),
    403: valid('alone', FOREIGN),
    404: valid('sending'),
    503: withoutKeys,
  }),
  ...each([FIND], {
    200: async (open, address) => {
      const { url } = await open('sending');
      await send(url, 'sms', SMS, { headers: { 'idempotency-key': 'payment-7' } });
      return call(open('sending'), address);
    },
    400: valid('alone', { path: `${FIND}?status=lost` }),
    403: asAna({ path: `${FIND}?reference=k&caller=shop` }),
  }),
  ...each([TIMELINE], {
    200: async (open) => {
      const { url } = await open('sending');
      return fetch(`${url}${FIND}/${await idOf(send(url, 'sms', SMS))}`);
    },
    400: valid('alone', { path: `${FIND}/%ff` }),
    403: valid('alone', FOREIGN),
    404: valid('alone'),
  }),
  // Without the topics: 503.
  ...each([LETTERS, LETTER], { 200: valid('letters'), 500: valid('unreadable'), 503: valid('alone') }),
  [`${LETTERS} 400`]: valid('alone', { path: `${LETTERS}?limit=0` }),
  [`${LETTER} 400`]: valid('alone', { path: `${LETTERS}/%ff/0/0` }),
  [`${LETTER} 404`]: valid('letters', { path: `${LETTERS}/${TOPIC.notificationDeadLetters}/0/9` }),
  ...each(
    Object.keys(BODIES).filter((address) => address.startsWith(LETTERS)),
    {
      200: valid('letters'),
      400: valid('letters', { body: { selection: {} } }),
      422: valid('full'),
      500: valid('unreadable'),
      503: valid('alone'),
    },
  ),
  ...each([OUTBOX, OUTBOX_MESSAGE], { 200: valid('outbox'), 500: valid('failingOutbox'), 503: withoutKeys }),
  [`${OUTBOX} 404`]: valid('alone'),
  [`${OUTBOX_MESSAGE} 404`]: valid('outbox', { path: `${OUTBOX}/${ID.replace('0b', '1b')}` }),
  ...each([OUTBOX_HTML], {
    200: () => htmlOf(({ read }) => read(ID)),
    403: valid('outbox'),
    404: () => htmlOf(async () => undefined),
    500: () => htmlOf(fails(new Error('the disk failed'))),
  }),
  ...each([SUPPRESSIONS, ADD], { 200: valid('sending') }),
  [`${SUPPRESSIONS} 400`]: valid('sending', { path: `${SUPPRESSIONS}?limit=0` }),
  [`${ADD} 400`]: valid('sending', { body: { receiver: 'x@', reason: 'a test' } }),
  ...each([REMOVE], {
    200: async (open) => {
      const { hash } = (await (await call(open('sending'), ADD)).json()) as { hash: string };
      const body = { receiver: hash, reason: 'a test' };
      let removed = await call(open('sending'), REMOVE, { body });
      for (let tries = 0; removed.status === 404 && tries < 100; tries += 1) {
        await sleep(20);
        removed = await call(open('sending'), REMOVE, { body });
      }
      return removed;
    },
    400: valid('sending', { body: {} }),
    404: valid('sending'),
  }),
  // Without the topic: 503.
  ...each([PRODUCTS, PRODUCT, VERSION], {
    200: valid('products'),
    304: async (open, address) => {
      const etag = (await call(open('products'), address)).headers.get('etag') ?? '';
      return call(open('products'), address, { headers: { 'if-none-match': etag } });
    },
    400: valid('products', { path: `${PRODUCTS}/%ff` }),
    500: valid('unreadable'),
    503: valid('alone'),
  }),
  [`${PRODUCTS} 400`]: valid('products', { path: `${PRODUCTS}?x=1` }),
  [`${PRODUCT} 404`]: valid('products', { path: `${PRODUCTS}/none` }),
  [`${VERSION} 404`]: valid('products', { path: `${PRODUCTS}/TL/versions/9` }),
  ...each([SYSTEM, SETTINGS], { 200: valid('alone'), 503: withoutKeys }),
  ...each(['/health/live', '/health/ready', '/metrics'], {
    200: valid('alone'),
    403: valid('alone', FOREIGN),
  }),
  '/health/live 503': valid('unhealthy'),
};

/** Sends an asynchronous request; `fetchResult` polls until its result is no longer pending. */
async function later(url: string, body: unknown = PROOF, headers: Record<string, string> = {}) {
  const accepted = await post(url, body, { headers: { prefer: 'respond-async', ...headers } });
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

async function overdue(open: Open, ms: number): Promise<Response> {
  const { fetchResult } = await later((await open('unanswered')).url);
  nowMs += ms;
  return fetchResult();
}

async function publishBrokenResult(broker: Broker, correlationId: string): Promise<void> {
  const sent = { headers: { [HEADER.correlationId]: correlationId }, timestampMs: nowMs };
  await publishTo(broker, [{ topic: TOPIC.ingressResults, key: 'k', value: Buffer.from([0, 1]), ...sent }]);
}

async function htmlOf(read: (opened: OutboxReader) => ReturnType<OutboxReader['read']>): Promise<Response> {
  const opened = await outbox();
  let readNow: OutboxReader['read'] = (id) => opened.read(id);
  const { url } = await alone({ outbox: { list: (limit) => opened.list(limit), read: (id) => readNow(id) } });
  const message = await fetch(url + pathOf(OUTBOX_MESSAGE));
  readNow = () => read(opened);
  return fetch(url + ((await message.json()) as { htmlAddress: string }).htmlAddress);
}

it('all actions document the same responses except 200, and the generic form the 202 of all', () => {
  const { 202: accepted, ...others } = responsesBut200(GENERIC);
  expect(accepted).toBeDefined();
  expect(Object.keys(others).length).toBeGreaterThan(10);
  for (const path of [ACTION, ...OTHER_ACTIONS]) expect(responsesBut200(path)).toEqual(others);
  for (const end of ['', '/batch'])
    expect(paths[EMAIL_PATH + end]?.post.responses).toEqual(paths[SMS_PATH + end]?.post.responses);
  expect(responsesBut200(SETTINGS)).toEqual(responsesBut200(SYSTEM));
});

function responsesBut200(path: string): Readonly<Record<string, object>> {
  const { 200: _ok, ...rest } = (paths[path]?.post ?? paths[path]?.get)?.responses ?? {};
  return rest;
}

it('every documented response is the answer to a request, with its headers and its schema', async () => {
  const open = openOnce();
  const entries = Object.entries(paths).flatMap(([path, { get, post: posted }]) =>
    Object.entries((posted ?? get).responses)
      // Addresses with the same refusals.
      .filter(([status]) => status.startsWith('2') || ![GENERIC, SETTINGS, ...OTHER_ACTIONS].includes(path))
      .filter(() => !path.startsWith(EMAIL_PATH))
      .map(([status, documented]) => ({ path, status, documented })),
  );
  expect(entries.length).toBeGreaterThan(150);
  const check = async ({ path, status, documented }: (typeof entries)[number]) => {
    const provoke = SPECIAL[`${path} ${status}`] ?? BY_STATUS[status];
    const response = await provoke?.(open, path);
    return (await faultsOf(documented, status, response)).map((fault) => `${path} ${status}: ${fault}`);
  };
  const [slow = [], others = []] = [true, false].map((isSlow) =>
    entries.filter(({ status }) => (status === '408') === isSlow),
  );
  const late = Promise.all(slow.map(check));
  const faults: string[] = [];
  for (const entry of others) faults.push(...(await check(entry)));
  expect([...faults, ...(await late).flat()]).toEqual([]);
});

async function faultsOf(
  { headers = {}, content = {} }: Documented,
  status: string,
  response: Response | undefined,
): Promise<readonly string[]> {
  if (response?.status !== Number(status)) return [`is answered with ${response?.status}`];
  const names = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  const sent = [...response.headers.keys()];
  const optional = status === '403' ? OPTIONAL_403 : OPTIONAL;
  const faults = [
    ...sent.filter((header) => !names.has(header) && !UNDOCUMENTED.has(header)).map((one) => `has ${one}`),
    ...[...names].filter((one) => !optional.includes(one) && !sent.includes(one)).map((one) => `no ${one}`),
  ];
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const text = await response.text();
  if (status === '304') return [...faults, ...Object.keys(content), ...(text === '' ? [] : ['has a body'])];
  if (Object.keys(content).join() !== type) return [...faults, `is ${type}`];
  const body: unknown = type.startsWith('text/') ? text : JSON.parse(text);
  const read = z.fromJSONSchema(content[type]?.schema ?? {}).safeParse(body);
  faults.push(...(read.error?.issues ?? []).map((issue) => JSON.stringify(issue)));
  if (type !== 'application/problem+json') return faults;
  const problem = body as Problem;
  const { code, correlationId } = problem;
  const isRight = problem.status === response.status && code in (content[type]?.examples ?? {});
  const isOfCall = correlationId === response.headers.get('x-correlation-id');
  return isRight && isOfCall ? faults : [...faults, text];
}

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node && typeof node.$ref === 'string') {
    const target = node.$ref.slice(2).split('/');
    return resolved(target.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document));
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}
