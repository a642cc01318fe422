import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { isReadableContent } from '../../../../workers/ingress/server/json-body.ts';
import { chooseCorrelationId, readTraceContext } from '../../../../workers/ingress/server/app.ts';
import { readPreferences } from '../../../../workers/ingress/actions/action-route.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

it.each([
  [undefined, false, undefined],
  ['respond-async', true, undefined],
  ['Respond-Async', true, undefined],
  ['respond-async, wait=10', true, 10],
  ['wait = "5"', false, 5],
  ['wait=5; foo=bar, respond-async;x', true, 5],
  ['wait=5, wait=7', false, 5],
  ['wait=0', false, undefined],
  ['max=5, wait=3', false, 3],
  ['wait=-3', false, undefined],
  ['wait=1.5', false, undefined],
  ['wait', false, undefined],
  ['wait=99999999999999999999', false, undefined],
  ['x=respond-async', false, undefined],
  ['x="a, respond-async, b"', false, undefined],
  ['x="\\", wait=3, ", respond-async', true, undefined],
  ['x="a;b", wait="4"', false, 4],
  ['wait=2, x="a, respond-async', false, 2],
  [',,;=,', false, undefined],
])('reads the header Prefer: %j (RFC 7240)', (header, respondAsync, waitSeconds) => {
  expect(readPreferences(header)).toEqual({ respondAsync, waitSeconds });
});

const chosen = (headers: IncomingHttpHeaders) => chooseCorrelationId(headers, systemPorts.newId);

it('the correlation id is that of the caller or new; a valid trace context (W3C) is propagated', () => {
  expect(chosen({ 'x-correlation-id': 'a', 'x-request-id': 'b' })).toBe('a');
  expect(chosen({ 'x-correlation-id': '~'.repeat(128) })).toBe('~'.repeat(128));
  for (const given of ['', 'a b', 'a\tb', '\u00e4', 'x'.repeat(129), 'a, b'])
    expect(chosen({ 'x-correlation-id': given })).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
  expect(readTraceContext({ traceparent })).toEqual({ traceParent: traceparent });
  const malformed = ['', `x${traceparent}`, `${traceparent}x`, traceparent.toUpperCase()];
  const changes = { a1: '00', b2: '00', '00-': 'ff-' };
  malformed.push(...Object.entries(changes).map(([part, other]) => traceparent.replaceAll(part, other)));
  for (const other of malformed) expect(readTraceContext({ traceparent: other })).toEqual({});
  expect(readTraceContext({})).toEqual({});
});

it.each([
  ['application/json', undefined, true],
  ['application/json', 'Identity', true],
  ['application/json', 'gzip, identity', false],
  ['application/json; charset=utf-8; version=1', undefined, true],
  ['application/json;odata="a; b";charset="utf8";', undefined, true],
  ['application/json; version=1; charset=utf-16', undefined, false],
  ['application/json; charset=utf-8; charset=latin1', undefined, false],
  ['application/json; version', undefined, false],
  ['application/json charset=utf-8', undefined, false],
  ['application/json;', undefined, true],
  ['application/jsonx', undefined, false],
  ['application/json, text/html', undefined, false],
])('decides on Content-Type %j with Content-Encoding %j', (type, encoding, isReadable) => {
  expect(isReadableContent(type, encoding)).toBe(isReadable);
});

it('reads long headers in linear time', () => {
  expect(leastMsOf(() => readPreferences('\\"'.repeat(8_000)))).toBeLessThan(20);
  const leastMs = leastMsOf(() => {
    expect(isReadableContent(`application/json${'; '.repeat(8_000)}x`, undefined)).toBe(false);
    expect(isReadableContent(`application/json${'; a=b'.repeat(3_000)}"`, undefined)).toBe(false);
  });
  expect(leastMs).toBeLessThan(100);
});
