import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../shared/platform/problem.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import {
  ECHO_PATH,
  openTestIngress,
  postEcho,
  startTestIngress,
} from '../../support/worlds/ingress-fixture.ts';

describe('calling an action', () => {
  it('responds with 200 and the unwrapped body as JSON in UTF-8', async () => {
    const response = await postEcho(await openTestIngress(), { jsonParam: { Amount: 1, Name: 'ș' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.json()).toEqual({ jsonParam: { Amount: 1, Name: 'ș' } });
  });

  it('matches action names case-insensitively (E4)', async () => {
    const ingress = await openTestIngress();
    for (const name of ['plat_bp_echo', 'PLAT_BP_ECHO', 'Plat_Bp_Echo']) {
      const url = ingress.url + ECHO_PATH.replace('PLAT_BP_Echo', name);
      const response = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body: '{}' });
      expect(response.status).toBe(200);
    }
  });

  it('gives each request message a unique correlation id, even if callers send the same one', async () => {
    const requester = createFakeRequester(({ payload }) => ({ kind: 'reply', type: 'EchoReply', payload }));
    const ingress = await openTestIngress({ requester });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { 'x-correlation-id': 'the-same', traceparent };
    await Promise.all([postEcho(ingress, { a: 1 }, headers), postEcho(ingress, { a: 2 }, headers)]);
    const ids = requester.requests.map((request) => request.correlationId);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('the-same');
    expect(requester.requests[0]).toMatchObject({
      topic: 'plat.schedule.requests.v1',
      type: 'EchoRequest',
      timeoutMs: 10_000,
      traceParent: traceparent,
    });
  });

  it.each([
    ['X-Correlation-Id', 'abc-123', 'abc-123'],
    ['X-Request-Id', 'r/7', 'r/7'],
  ])('returns the %s of the caller', async (name, sent, expected) => {
    const response = await postEcho(await openTestIngress(), {}, { [name]: sent });
    expect(response.headers.get('x-correlation-id')).toBe(expected);
  });

  it('reports the fields that it or the worker ignored in the Warnings header (E3)', async () => {
    const requester = createFakeRequester(({ payload }) => ({
      kind: 'reply',
      type: 'EchoReply',
      payload,
      warnings: 'no-effect;jsonParam.ContractPeriod',
    }));
    const response = await postEcho(await openTestIngress({ requester }), { odd: 1 });
    expect(response.headers.get('warnings')).toBe('unknown-member;odd, no-effect;jsonParam.ContractPeriod');
    const refusing = createFakeRequester(() => ({
      kind: 'problem',
      problem: createProblem('not-computable'),
    }));
    const refused = await postEcho(await openTestIngress({ requester: refusing }), { odd: 1 });
    expect([refused.status, refused.headers.get('warnings')]).toEqual([422, 'unknown-member;odd']);
    const quiet = await postEcho(await openTestIngress(), {});
    expect(quiet.headers.get('warnings')).toBeNull();
  });

  it('names the holiday calendar in a header (H2)', async () => {
    const requester = createFakeRequester(({ payload }) => ({
      kind: 'reply',
      type: 'EchoReply',
      payload,
      holidayCalendar: 'RO+TARGET;version=2026.1+2026.1',
    }));
    const response = await postEcho(await openTestIngress({ requester }), {});
    expect(response.headers.get('holiday-calendar')).toBe('RO+TARGET;version=2026.1+2026.1');
    const quiet = await postEcho(await openTestIngress(), {});
    expect(quiet.headers.get('holiday-calendar')).toBeNull();
  });
});

describe('problems of the worker or the broker', () => {
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
    const requester = createFakeRequester(() => ({
      kind: 'problem',
      problem: createProblem(code, { errors, correlationId: 'id on the log' }),
    }));
    const response = await postEcho(await openTestIngress({ requester }), {}, { 'x-correlation-id': 'mine' });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(await response.json()).toMatchObject({ code, status, errors, correlationId: 'mine' });
  });

  it('responds with 500, without internal details, to an invalid reply or a rejected request', async () => {
    const nonsense = createFakeRequester(() => ({
      kind: 'problem',
      problem: { ...createProblem('unexpected'), status: 200 },
    }));
    expect((await postEcho(await openTestIngress({ requester: nonsense }), {})).status).toBe(500);
    const broken = createFakeRequester(() => Promise.reject(new Error('secret inner text')));
    const response = await postEcho(await openTestIngress({ requester: broken }), {});
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('secret inner text');
    expect(text).not.toMatch(/\bat .*\.ts/);
    expect(JSON.parse(text)).toMatchObject({ code: 'unexpected' });
  });
});

describe('Prefer: wait (RFC 7240)', () => {
  it('is confirmed in Preference-Applied unless the reply timeout is shorter', async () => {
    const requester = createFakeRequester(({ payload }) => ({ kind: 'reply', type: 'EchoReply', payload }));
    const ingress = await openTestIngress({ requester, options: { replyTimeoutMs: 10_000 } });
    const applied = async (prefer: string) =>
      (await postEcho(ingress, {}, { prefer })).headers.get('preference-applied');
    expect([await applied('wait=3'), await applied('wait=10'), await applied('wait=11')]).toEqual([
      'wait=3',
      'wait=10',
      null,
    ]);
    expect(requester.requests.map((request) => request.timeoutMs)).toEqual([3_000, 10_000, 10_000]);
  });

  it('appears in the 504, which says that the request may be sent again', async () => {
    const requester = createFakeRequester(() => ({
      kind: 'problem',
      problem: createProblem('reply-timeout'),
    }));
    const response = await postEcho(await openTestIngress({ requester }), {}, { prefer: 'wait=2' });
    expect(response.status).toBe(504);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).toContain('within 2000 ms');
    expect(detail).toContain('sent again');
  });
});

describe('before replies can be received', () => {
  it('responds with 503 not-ready and is not ready, then accepts actions', async () => {
    const assigned = Promise.withResolvers<void>();
    const requester = createFakeRequester(
      ({ payload }) => ({ kind: 'reply', type: 'EchoReply', payload }),
      assigned.promise,
    );
    const ingress = await startTestIngress({ requester });
    const early = await postEcho(ingress, {});
    expect(early.status).toBe(503);
    expect(await early.json()).toMatchObject({ code: 'not-ready' });
    expect(requester.requests).toEqual([]);
    const health = await fetch(`${ingress.url}/health/ready`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({
      status: 'starting',
      parts: { replies: { status: 'starting' } },
    });
    expect((await fetch(`${ingress.url}/health/live`)).status).toBe(200);
    assigned.resolve();
    await ingress.opened;
    expect((await postEcho(ingress, {})).status).toBe(200);
    expect((await fetch(`${ingress.url}/health/ready`)).status).toBe(200);
  });
});

const JSON_HEADERS = { 'content-type': 'application/json' };
