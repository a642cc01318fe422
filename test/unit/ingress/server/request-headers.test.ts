import { describe, expect, it } from 'vitest';
import { isReadableContent } from '../../../../workers/ingress/server/json-body.ts';
import {
  chooseCorrelationId,
  createLogCorrelationId,
  readTraceContext,
} from '../../../../workers/ingress/server/app.ts';
import { isLoopback } from '../../../../shared/platform/host-names.ts';
import { readPreferences } from '../../../../workers/ingress/actions/action-route.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe('the Prefer header (RFC 7240)', () => {
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
    ['max=5', false, undefined],
    ['wait=-3', false, undefined],
    ['wait=1.5', false, undefined],
    ['wait', false, undefined],
    ['wait=99999999999999999999', false, undefined],
    ['return=minimal, handling=strict', false, undefined],
    ['x=respond-async', false, undefined],
    ['x="a, respond-async, b"', false, undefined],
    ['x="\\", wait=3, ", respond-async', true, undefined],
    ['x="a;b", wait="4"', false, 4],
    ['wait=2, x="a, respond-async', false, 2],
    ['', false, undefined],
    [',,;=,', false, undefined],
  ])('reads %j', (header, respondAsync, waitSeconds) => {
    expect(readPreferences(header)).toEqual({ respondAsync, waitSeconds });
  });

  it('takes linear time for a long header', () => {
    const leastMs = leastMsOf(() => readPreferences('\\"'.repeat(8_000)));
    expect(leastMs).toBeLessThan(20);
  });
});

const { newId } = systemPorts;

describe('the correlation id', () => {
  it('is the X-Correlation-Id of the caller, else its X-Request-Id', () => {
    expect(chooseCorrelationId({ 'x-correlation-id': 'a', 'x-request-id': 'b' }, newId)).toBe('a');
    expect(chooseCorrelationId({ 'x-request-id': 'b' }, newId)).toBe('b');
    expect(chooseCorrelationId({ 'x-correlation-id': '~'.repeat(128) }, newId)).toBe('~'.repeat(128));
  });

  it.each([[''], ['a b'], ['a\tb'], ['\u00e4'], ['x'.repeat(129)], ['a, b']])(
    'is a new UUID instead of %j',
    (given) => {
      expect(chooseCorrelationId({ 'x-correlation-id': given }, newId)).toMatch(UUID);
    },
  );

  it('is made unique for the request message by a UUID appended to the id of the caller', () => {
    const chosen = { 'x-correlation-id': 'loan-1' };
    const first = createLogCorrelationId(chosen, 'loan-1', newId);
    expect(first).toMatch(/^loan-1\.[\da-f-]{36}$/);
    expect(createLogCorrelationId(chosen, 'loan-1', newId)).not.toBe(first);
    expect(createLogCorrelationId({}, 'generated', newId)).toBe('generated');
  });
});

it('propagates a valid trace context (W3C Trace Context) and ignores an invalid one', () => {
  const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
  expect(readTraceContext({ traceparent })).toEqual({ traceParent: traceparent });
  const zeroTrace = traceparent.replaceAll('a1', '00');
  const zeroParent = traceparent.replaceAll('b2', '00');
  const versionless = traceparent.replace('00', 'ff');
  const malformed = ['', `x${traceparent}`, `${traceparent}x`, traceparent.toUpperCase()];
  for (const other of [...malformed, zeroTrace, zeroParent, versionless]) {
    expect(readTraceContext({ traceparent: other })).toEqual({});
  }
  expect(readTraceContext({})).toEqual({});
});

describe('isReadableContent', () => {
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
    ['Application/JSON;charset="UTF-8"', undefined, true],
    ['application/json;', undefined, true],
    ['application/json; charset=latin1', undefined, false],
    ['application/jsonx', undefined, false],
    ['text/plain', undefined, false],
    ['application/json, text/html', undefined, false],
    [undefined, undefined, false],
  ])('decides on Content-Type %j with Content-Encoding %j', (type, encoding, isReadable) => {
    expect(isReadableContent(type, encoding)).toBe(isReadable);
  });

  it('takes linear time for long headers', () => {
    const leastMs = leastMsOf(() => {
      expect(isReadableContent(`application/json${'; '.repeat(8_000)}x`, undefined)).toBe(false);
      expect(isReadableContent(`application/json${'; a=b'.repeat(3_000)}"`, undefined)).toBe(false);
    });
    expect(leastMs).toBeLessThan(100);
  });
});

it('recognises loopback addresses', () => {
  const loopback = ['127.0.0.1', '127.1.2.3', '::1', 'localhost'];
  const others = ['0.0.0.0', '::', '', '1127.0.0.1', '127.0.0.1.example', 'localhost.example', '10.0.0.1'];
  expect([...loopback, ...others].filter(isLoopback)).toEqual(loopback);
});
