import { describe, expect, it } from 'vitest';
import { createClient, EngineError, type ClientOptions } from '../../../shared/client/client.ts';
import { createProblem, type ProblemExtras, type ErrorCode } from '../../../shared/platform/problem.ts';
import { fakeClientSystem, json } from '../../support/client/fake-client-system.ts';

const PMT = {
  jsonParam: {
    FinancedAmount: 1000,
    InterestPercent: 12,
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
  },
};
const PMT_REPLY = { PMTValue: 256.28, PrincipalValue: 250 };
const SMS = { receiver: '+40722123456', message: 'Hello' };
const ACCEPTED = { notificationId: '0b6f3c4e-2d1a-5f7b-9c8d-1e2f3a4b5c6d', status: 'accepted' };

type Answerers = Parameters<typeof fakeClientSystem>;

function open(answerers: Answerers, options: ClientOptions = {}) {
  const { system, calls } = fakeClientSystem(...answerers);
  return { client: createClient({ baseUrl: 'http://engine/bank/', ...options }, system), calls };
}

function problem(
  code: ErrorCode,
  extras: ProblemExtras = {},
  headers: Record<string, string> = {},
): Response {
  const body = createProblem(code, extras);
  return json(body, body.status, { 'content-type': 'application/problem+json', ...headers });
}

/** The error that a call rejects with. */
async function failure(call: Promise<unknown>): Promise<EngineError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EngineError);
  return error as EngineError;
}

/** Like a real fetch, ends only when its signal is aborted. */
const hang = (_: unknown, { signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

const answered = () => json(PMT_REPLY);

describe('a call of the client', () => {
  it('sends the body of an action to its address and returns the reply with what the headers say', async () => {
    const { client, calls } = open([
      () =>
        json(PMT_REPLY, 200, {
          warnings: 'unknown-member;jsonParam.c%C3%A2mp, no-effect;jsonParam.GraceType',
          'holiday-calendar': 'RO;version=2026.1',
          'x-correlation-id': 'loan-4711',
        }),
    ]);
    expect(await client.calculatePmt(PMT, { correlationId: 'loan-4711', timeoutMs: 20_900 })).toEqual({
      reply: PMT_REPLY,
      warnings: [
        { code: 'unknown-member', path: 'jsonParam.câmp' },
        { code: 'no-effect', path: 'jsonParam.GraceType' },
      ],
      holidayCalendar: 'RO;version=2026.1',
      correlationId: 'loan-4711',
      attempts: 1,
    });
    expect(calls).toMatchObject([
      {
        url: 'http://engine/bank/platapi/automation-processors/actions/PLAT_BP_CalculatePMT',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-correlation-id': 'loan-4711', prefer: 'wait=20' },
        body: PMT,
      },
    ]);
  });

  it('asks the token function before each attempt', async () => {
    const tokens = ['first', 'second'];
    const { client, calls } = open([() => problem('overloaded', {}, { 'retry-after': '1' }), answered], {
      token: async () => tokens.shift(),
    });
    await client.calculatePmt(PMT);
    expect(calls.map(({ headers }) => headers['authorization'])).toEqual(['Bearer first', 'Bearer second']);
  });

  it('passes on what the token function throws', async () => {
    const { client, calls } = open([answered], {
      token: () => Promise.reject(new Error('signed out')),
    });
    await expect(client.calculatePmt(PMT)).rejects.toThrow('signed out');
    expect(calls).toEqual([]);
  });

  it('reports a problem with its status, code, all faults and correlation id, after one attempt', async () => {
    const errors = [
      { path: 'jsonParam.Amount', code: 'wrong-type', message: 'must be a number, not text' },
      { path: 'jsonParam.InstallmentsNo', code: 'missing', message: 'is missing; must be a number' },
    ];
    const { client, calls } = open([
      () => problem('invalid-request', { errors, correlationId: 'loan-4711' }),
    ]);
    const error = await failure(client.calculatePmt(PMT, { correlationId: 'loan-4711' }));
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid-request',
      faults: errors,
      correlationId: 'loan-4711',
      attempts: 1,
      problem: { title: 'The request has missing or invalid fields' },
    });
    expect(error.message).toBe(
      'The request has missing or invalid fields (invalid-request); jsonParam.Amount must be a number, not text; ' +
        'jsonParam.InstallmentsNo is missing; must be a number',
    );
    expect(calls).toHaveLength(1);
  });

  it('repeats a calculation after 429 and 503, no sooner than Retry-After says, under one correlation id', async () => {
    const { client, calls } = open([
      () => problem('rate-limited', {}, { 'retry-after': '2' }),
      () => problem('overloaded', {}, { 'retry-after': '1' }),
      answered,
    ]);
    expect(await client.calculatePmt(PMT)).toMatchObject({ reply: PMT_REPLY, attempts: 3 });
    // Half of 250 ms and of 500 ms is added, since the random number is 0.5.
    expect(calls.map(({ at }) => at)).toEqual([0, 2_125, 3_375]);
    expect(new Set(calls.map(({ headers }) => headers['x-correlation-id'])).size).toBe(1);
  });

  it('waits until the date of a Retry-After, by the clock of the answer', async () => {
    const retryAfter = 'Fri, 07 Mar 2025 10:00:05 GMT';
    const dated = { date: 'Fri, 07 Mar 2025 10:00:00 GMT', 'retry-after': retryAfter };
    const { client, calls } = open([
      () => problem('overloaded', {}, dated),
      () => problem('overloaded', {}, { ...dated, date: 'Fri, 07 Mar 2025 10:00:09 GMT' }),
      () => problem('overloaded', {}, { 'retry-after': retryAfter }),
      answered,
    ]);
    await client.calculatePmt(PMT);
    expect(calls.map(({ at }) => at)).toEqual([0, 5_125, 5_375, 5_875]);
  });

  it('repeats a calculation whose connection breaks, at most as often as set', async () => {
    const { client, calls } = open([() => Promise.reject(new TypeError('fetch failed'))], { attempts: 3 });
    const error = await failure(client.calculatePmt(PMT));
    expect(error).toMatchObject({ code: 'unreachable', status: undefined, attempts: 3 });
    expect(calls).toHaveLength(3);
    expect((await failure(client.calculatePmt(PMT, { attempts: 1 }))).attempts).toBe(1);
  });

  it('does not wait for a Retry-After beyond the time limit', async () => {
    const { client, calls } = open([() => problem('quota-exceeded', {}, { 'retry-after': '3600' })]);
    expect(await failure(client.sendSms(SMS))).toMatchObject({
      code: 'quota-exceeded',
      retryAfterMs: 3_600_000,
      attempts: 1,
    });
    expect(calls).toHaveLength(1);
  });

  it.each(['reply-timeout', 'unexpected', 'not-computable', 'unauthenticated'] as const)(
    'does not repeat after %s',
    async (code) => {
      const { client, calls } = open([() => problem(code)]);
      expect((await failure(client.calculatePmt(PMT))).code).toBe(code);
      expect(calls).toHaveLength(1);
    },
  );

  it('ends with code timeout after the time limit', async () => {
    const { client } = open([hang]);
    expect(await failure(client.calculatePmt(PMT, { timeoutMs: 500 }))).toMatchObject({
      code: 'timeout',
      status: undefined,
      attempts: 1,
      message: 'No answer within 500 ms',
    });
  });

  it('rejects with the reason of the signal, also of one that is aborted already', async () => {
    const { client, calls } = open([hang]);
    const controller = new AbortController();
    const call = client.calculatePmt(PMT, { signal: controller.signal });
    controller.abort(new Error('left the page'));
    await expect(call).rejects.toThrow('left the page');
    await expect(client.calculatePmt(PMT, { signal: controller.signal })).rejects.toThrow('left the page');
    expect(calls.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['a page of a proxy', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 200],
    [
      'JSON that is cut off',
      () => new Response('{"PMT', { headers: { 'content-type': 'application/json' } }),
      200,
    ],
    ['an error without a problem document', () => new Response('Gateway', { status: 500 }), 500],
  ])('reports %s as unreadable', async (_, answer, status) => {
    const { client } = open([answer]);
    expect(await failure(client.calculatePmt(PMT))).toMatchObject({ code: 'unreadable-answer', status });
  });

  it('reads answers with the JSON parser that it is given', async () => {
    const { client } = open(
      [() => new Response('{"PMTValue": 1.10}', { headers: { 'content-type': 'application/json' } })],
      {
        parseJson: (text) => ({ text }),
      },
    );
    expect((await client.calculatePmt(PMT)).reply).toEqual({ text: '{"PMTValue": 1.10}' });
  });
});

describe('sending a notification', () => {
  it('creates an Idempotency-Key, repeats with it after 504 accept-unknown, and returns it', async () => {
    const { client, calls } = open([() => problem('accept-unknown'), () => json(ACCEPTED, 202)]);
    const sent = await client.sendSms(SMS, { urgency: 'high' });
    expect(sent).toMatchObject({ reply: ACCEPTED, attempts: 2 });
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual([
      sent.idempotencyKey,
      sent.idempotencyKey,
    ]);
    expect(calls[0]).toMatchObject({
      url: 'http://engine/bank/api/notifications/v1/sms/send',
      headers: { 'x-communication-channel': '1', 'x-sender-id': 'platrealm', urgency: 'high' },
    });
  });

  it('reports the key with a failure, so that the caller can send the notification again', async () => {
    const { client } = open([() => Promise.reject(new TypeError('fetch failed'))]);
    const email = { receiver: 'ana@mail.example', subject: 'Offer', message: 'Hello' };
    const error = await failure(client.sendEmail(email, { idempotencyKey: 'offer-4711', timeoutMs: 20_000 }));
    expect(error.idempotencyKey).toBe('offer-4711');
  });

  it('refuses a key that no header can have, and sends nothing', async () => {
    const { client, calls } = open([() => json(ACCEPTED, 202)]);
    await expect(client.sendSms(SMS, { idempotencyKey: 'ofertă' })).rejects.toThrow(TypeError);
    expect(calls).toEqual([]);
  });

  it('waits for the outcome with growing pauses', async () => {
    const state = (status: string) => () => json({ ...ACCEPTED, status, channel: 'sms', attempts: [] });
    const { client, calls } = open([state('accepted'), state('retrying'), state('sent')]);
    const outcome = await client.waitForNotification(ACCEPTED.notificationId);
    expect(outcome.reply.status).toBe('sent');
    expect(calls.map(({ at }) => at)).toEqual([0, 250, 750]);
    expect(calls[0]?.url).toBe(`http://engine/bank/api/notifications/v1/${ACCEPTED.notificationId}`);
  });

  it('ends with code timeout if there is no outcome within the time limit', async () => {
    const { client } = open([() => json({ ...ACCEPTED, status: 'retrying' })]);
    expect((await failure(client.waitForNotification('n', { timeoutMs: 12_000 }))).code).toBe('timeout');
  });
});

describe('an asynchronous request', () => {
  it('is submitted, then asked for as often as Retry-After says until its result is there', async () => {
    const pending = { resultId: 'r/1', status: 'pending', href: '/platapi/results/r%2F1' };
    const later = () => json(pending, 202, { 'retry-after': '1' });
    const { client, calls } = open([later, later, later, answered]);
    const submitted = await client.submit('calculatePmt', PMT);
    expect(submitted).toEqual({ action: 'calculatePmt', resultId: 'r/1' });
    expect((await client.waitForResult(submitted)).reply).toEqual(PMT_REPLY);
    expect(calls[0]?.headers['prefer']).toBe('respond-async');
    expect(calls.slice(1).map(({ url, at }) => [url, at])).toEqual(
      [0, 1_000, 2_000].map((at) => ['http://engine/bank/platapi/results/r%2F1', at]),
    );
  });

  it('rejects with the problem of its result', async () => {
    const { client } = open([() => problem('not-computable')]);
    const waiting = client.waitForResult({ action: 'simulate', resultId: 'r' });
    expect((await failure(waiting)).code).toBe('not-computable');
  });
});

describe('a call of any address', () => {
  it('fills in the parameters of the path', async () => {
    const { client, calls } = open([() => json({ status: 'sent' })]);
    const path = { notificationId: 'a/b' };
    expect((await client.call('get', '/api/notifications/v1/{notificationId}', { path })).reply.status).toBe(
      'sent',
    );
    expect(calls[0]?.url).toBe('http://engine/bank/api/notifications/v1/a%2Fb');
    expect(calls[0]?.method).toBe('GET');
  });

  it('repeats only what may be repeated', async () => {
    const { client, calls } = open([() => problem('overloaded', {}, { 'retry-after': '1' })]);
    const header = { 'X-Communication-Channel': '1', 'X-Sender-Id': 'platrealm' } as const;
    await failure(client.call('post', '/api/notifications/v1/sms/send', { header, body: SMS }));
    expect(calls).toHaveLength(1);
    await failure(client.call('get', '/metrics', { attempts: 2 }));
    expect(calls).toHaveLength(3);
  });

  it('asks with an entity tag whether a reply has changed', async () => {
    const product = { code: 'TL/1', versions: [] };
    const { client, calls } = open([
      () => json(product, 200, { etag: 'W/"1"' }),
      () => new Response(null, { status: 304 }),
      () => json(product, 200, { etag: 'W/"2"' }),
    ]);
    const address = '/api/operations/v1/products/{code}';
    const input = { path: { code: 'TL/1' } };
    const { etag = '' } = await client.call('get', address, input);
    expect(await client.getIfChanged(address, etag, input)).toBeUndefined();
    expect(await client.getIfChanged(address, etag, input)).toMatchObject({ reply: product, etag: 'W/"2"' });
    expect(calls.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, 'W/"1"', 'W/"1"']);
    expect(new Set(calls.map(({ url }) => url)).size).toBe(1);
  });

  it('reads plain text, and reports the JSON of a failure that is no problem', async () => {
    const { client } = open([
      () => new Response('up 1\n', { headers: { 'content-type': 'text/plain; version=0.0.4' } }),
      () => json({ status: 'starting' }, 503),
    ]);
    expect((await client.call('get', '/metrics')).reply).toBe('up 1\n');
    const error = await failure(client.call('get', '/health/ready', { attempts: 1 }));
    expect(error).toMatchObject({ status: 503, body: { status: 'starting' } });
  });
});
