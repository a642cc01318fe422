import { expect, it } from 'vitest';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import {
  ECHO_PATH,
  echoRequester,
  openTestIngress,
  postEcho,
  startTestIngress,
} from '../../support/worlds/ingress-fixture.ts';

const openReplying = (reply: Reply) => openTestIngress({ requester: createFakeRequester(() => reply) });
const openRefusing = (problem: Parameters<typeof createProblem>, status?: number) =>
  openReplying({ kind: 'problem', problem: { ...createProblem(...problem), ...(status && { status }) } });

it('responds with 200 and the unwrapped body as JSON in UTF-8, whatever the case of its name (E4)', async () => {
  const { url } = await openTestIngress();
  const body = { jsonParam: { Amount: 1, Name: 'ș' } };
  for (const name of ['PLAT_BP_Echo', 'plat_bp_echo', 'PLAT_BP_ECHO']) {
    const response = await fetch(url + ECHO_PATH.replace('PLAT_BP_Echo', name), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    for (const absent of ['warnings', 'holiday-calendar', 'versions'])
      expect(response.headers.has(absent)).toBe(false);
    expect(await response.json()).toEqual(body);
  }
});

it('gives each request message a unique correlation id, even if callers send the same one', async () => {
  const requester = echoRequester();
  const ingress = await openTestIngress({ requester });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const headers = { 'x-correlation-id': 'the-same', traceparent };
  const responses = await Promise.all([1, 2].map((a) => postEcho(ingress, { a }, headers)));
  expect(responses.map((one) => one.headers.get('x-correlation-id'))).toEqual(['the-same', 'the-same']);
  const ids = requester.requests.map((request) => request.correlationId);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^the-same\.[\da-f-]{36}$/);
  expect(requester.requests[0]).toMatchObject({
    topic: 'plat.schedule.requests.v1',
    type: 'EchoRequest',
    timeoutMs: 10_000,
    traceParent: traceparent,
  });
  const other = await postEcho(ingress, {}, { 'x-request-id': 'r/7' });
  expect(other.headers.get('x-correlation-id')).toBe('r/7');
});

it('reports ignored fields (E3), the holiday calendar (H2) and versions (E7) in headers', async () => {
  const reply = {
    kind: 'reply',
    type: 'EchoReply',
    payload: {},
    warnings: 'no-effect;jsonParam.ContractPeriod',
    holidayCalendar: 'RO+TARGET;version=2026.1+2026.1',
    versions: 'engine=0.1.0, rules=1, day=2026-05-15',
  } as const;
  const response = await postEcho(await openReplying(reply), { odd: 1 });
  expect(response.headers.get('warnings')).toBe('unknown-member;odd, no-effect;jsonParam.ContractPeriod');
  expect(response.headers.get('holiday-calendar')).toBe('RO+TARGET;version=2026.1+2026.1');
  expect(response.headers.get('versions')).toBe('engine=0.1.0, rules=1, day=2026-05-15');
  const refused = await postEcho(await openRefusing(['not-computable']), { odd: 1 });
  expect([refused.status, refused.headers.get('warnings')]).toEqual([422, 'unknown-member;odd']);
});

it.each([
  ['reply-timeout', 504],
  ['broker-unavailable', 503],
  ['not-ready', 503],
  ['overloaded', 503],
  ['not-computable', 422],
  ['reply-too-large', 422],
  ['unexpected', 500],
] as const)('responds to the problem %s with %i', async (code, status) => {
  const errors = [{ path: 'jsonParam.ScheduleType', code: 'unknown', message: 'is unknown' }];
  const ingress = await openRefusing([code, { errors, correlationId: 'id on the log' }]);
  const response = await postEcho(ingress, {}, { 'x-correlation-id': 'mine' });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
  expect(await response.json()).toMatchObject({ code, status, errors, correlationId: 'mine' });
});

it('responds with 500, without internal details, to an invalid reply or a rejected request', async () => {
  expect((await postEcho(await openRefusing(['unexpected'], 200), {})).status).toBe(500);
  const requester = createFakeRequester(() => Promise.reject(new Error('secret inner text')));
  const response = await postEcho(await openTestIngress({ requester }), {});
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).not.toMatch(/secret inner text|\bat .*\.ts/);
  expect(JSON.parse(text)).toMatchObject({ code: 'unexpected' });
});

it('Prefer: wait (RFC 7240) is confirmed in the answer unless the reply timeout is shorter', async () => {
  const requester = echoRequester();
  const ingress = await openTestIngress({ requester, options: { replyTimeoutMs: 10_000 } });
  const applied = async (prefer: string) =>
    (await postEcho(ingress, {}, { prefer })).headers.get('preference-applied');
  const applications = [await applied('wait=3'), await applied('wait=10'), await applied('wait=11')];
  expect(applications).toEqual(['wait=3', 'wait=10', null]);
  expect(requester.requests.map((request) => request.timeoutMs)).toEqual([3_000, 10_000, 10_000]);
});

it('Prefer: wait appears in the 504, which says that the request may be sent again', async () => {
  const response = await postEcho(await openRefusing(['reply-timeout']), {}, { prefer: 'wait=2' });
  const detail = expect.stringMatching(/within 2000 ms.*sent again/) as string;
  expect([response.status, await response.json()]).toEqual([504, expect.objectContaining({ detail })]);
});

it('before replies can be received responds with 503 not-ready and is not ready, then accepts actions', async () => {
  const assigned = Promise.withResolvers<void>();
  const reply = { kind: 'reply', type: 'EchoReply', payload: {} } as const;
  const requester = createFakeRequester(() => reply, assigned.promise);
  const ingress = await startTestIngress({ requester });
  const health = () => fetch(`${ingress.url}/health/ready`);
  const early = await postEcho(ingress, {});
  expect([early.status, await early.json()]).toMatchObject([503, { code: 'not-ready' }]);
  expect(requester.requests).toEqual([]);
  const before = await health();
  const reason = expect.stringContaining('reply consumer') as string;
  const starting = { status: 'starting', reason, parts: { replies: { status: 'starting' } } };
  expect([before.status, await before.json()]).toMatchObject([503, starting]);
  expect((await fetch(`${ingress.url}/health/live`)).status).toBe(200);
  assigned.resolve();
  await ingress.opened;
  expect((await postEcho(ingress, {})).status).toBe(200);
  expect((await health()).status).toBe(200);
});
