import { describe, expect, it } from 'vitest';
import type { SendResult } from '../../../../shared/notification/provider.ts';
import {
  classifyHttpResponse,
  parseRetryAfter,
} from '../../../../workers/notification/providers/classify-http-response.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';

const OTP = anSms({ sender: 'YourBank', message: 'Domnule Popescu, codul este 771 234. Limita 4500.' });

const answered = (status: number, body: unknown, settings: object = {}, message = anSms()): SendResult => {
  const { connector } = httpEntry({ connector: settings }).settings;
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const sensitive = { message, secrets: ['key-7f3a99'] };
  const context = { nowMs: 0, sensitive, isUrlOfMessage: false };
  return classifyHttpResponse({ status, headers: {}, text }, connector!, context);
};

describe('the subject of a failure', () => {
  const success = { pointer: '/status', values: ['0'] };
  const byCode = { success, errorCode: ['/status'] };
  const byStatus = { success, failures: { unknown: { status: [200] } } };

  it('is the message if the provider itself answered with an unknown outcome', () => {
    const about = { kind: 'unknown', isAboutMessage: true };
    expect(answered(200, { status: '9' }, byCode)).toMatchObject(about);
    expect(answered(200, { status: '9' }, byStatus)).toMatchObject(about);
    expect(answered(409, {}, { idempotency: { header: 'Id' } })).toMatchObject(about);
    const known = { errorCode: ['/error'], failures: { sent: { code: ['sent'] } } };
    expect(answered(409, { error: 'sent' }, known)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it('is the provider if the response cannot be read or comes from an intermediary', () => {
    expect(answered(200, '<html>', byCode)).toEqual({ kind: 'unknown', code: 'http-200' });
    expect(answered(502, { status: '9' }, byCode)).toEqual({ kind: 'unknown', code: 'http-502-9' });
  });

  it('is the receiver if the list says so', () => {
    const settings = { ...byCode, failures: { receiver: { code: ['7'] }, transient: { code: ['8'] } } };
    const about = { kind: 'transient', isAboutReceiver: true };
    expect(answered(200, { status: '7' }, settings)).toMatchObject(about);
    expect(answered(200, { status: '8' }, settings)).not.toHaveProperty('isAboutReceiver');
  });
});

it.each([
  ['sent', [200, 201, 202, 204, 299]],
  ['misconfigured', [301, 302, 307, 308, 401, 402, 403, 404, 405, 407, 415, 501, 505, 511]],
  ['transient', [408, 425, 429, 500, 503]],
  ['permanent', [400, 406, 409, 410, 413, 422, 451, 499]],
  ['unknown', [502, 504, 507, 520, 524, 599]],
])('a status that no list has is classified as %s', (kind, statuses) => {
  expect(statuses.filter((status) => answered(status, undefined).kind !== kind)).toEqual([]);
});

describe('the value that means success', () => {
  const settings = { success: { status: [200], pointer: '/a~1b/0/c~0d', values: [0] } };

  const there = { success: { pointer: '/id' } };

  it.each([
    ['sent', 'a text', { 'a/b': [{ 'c~d': '0' }] }, settings],
    ['sent', 'a number', { 'a/b': [{ 'c~d': 0 }] }, settings],
    ['unknown', 'another number', { 'a/b': [{ 'c~d': 1 }] }, settings],
    ['sent', 'there', { id: {} }, there],
    ['unknown', 'not there', { id: null }, there],
    ['unknown', 'not JSON', '{', settings],
    ['unknown', 'empty', '', settings],
    ['unknown', 'incomplete', undefined, settings],
    ['unknown', 'null', null, settings],
    ['unknown', 'an object instead of a scalar', { 'a/b': [{ 'c~d': {} }] }, settings],
  ])('leads to %s if it or the body is %s', (...[kind, , body, given]) => {
    expect(answered(200, body, given).kind).toBe(kind);
  });
});

it.each([
  [400, { code: 'busy' }, 'transient'],
  [200, { code: 'busy' }, 'transient'],
  [500, { code: 'wrong' }, 'transient'],
  [503, { code: 'busy' }, 'unknown'],
  [503, { code: 'strange' }, 'unknown'],
  [422, { code: 'strange' }, 'permanent'],
  [200, { code: 'strange' }, 'misconfigured'],
  [200, { code: 'strange', result: 'refused' }, 'permanent'],
  [200, { code: 'wrong', result: 'refused' }, 'misconfigured'],
  [503, { result: 'refused' }, 'unknown'],
  [400, { code: 'strange', other: 'busy' }, 'transient'],
  [400, { code: 'busy', other: 'wrong' }, 'misconfigured'],
  [422, undefined, 'permanent'],
  [400, undefined, 'misconfigured'],
  [503, undefined, 'unknown'],
  [504, undefined, 'transient'],
])(
  'a response with status %s and body %j is classified by its codes, its value, its status, then its class: %s',
  (status, body, kind) => {
    const settings = {
      success: { pointer: '/result', values: ['accepted'] },
      errorCode: ['/missing', '/code', '/other'],
      failures: {
        transient: { code: ['busy'], status: ['5xx'] },
        misconfigured: { code: ['wrong', '*'], status: ['4xx'] },
        permanent: { status: [422], values: ['refused'] },
        unknown: { status: [503] },
      },
    };
    expect(answered(status, body, settings).kind).toBe(kind);
  },
);

describe('Retry-After', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  it.each<[string | undefined, number | undefined]>([
    ['120', 120_000],
    [' 0.5 ', 500],
    ['Mon, 02 Mar 2026 10:00:30 GMT', 30_000],
    ['Monday, 02-Mar-26 10:01:00 GMT', 60_000],
    ['999999999', 86_400_000],
    ...[undefined, '', '0', '-5', 'soon', '2026-03-02', '1e3', 'Mon, 02 Mar 2026 09:59:59 GMT'].map(
      (text): [string | undefined, undefined] => [text, undefined],
    ),
    ['Mon, 99 Foo 2026 10:00:00 GMT', undefined],
  ])('is parsed from %j as %s ms', (text, ms) => {
    expect(parseRetryAfter(text, 'seconds', now)).toBe(ms);
  });

  it('is parsed from seconds since 1970', () =>
    expect(parseRetryAfter(String(now / 1_000 + 5), 'epoch-seconds', now)).toBe(5_000));
});

describe('provider text', () => {
  const settings = {
    errorCode: ['/code'],
    id: { pointer: '/id' },
    failures: { misconfigured: { code: ['no_credit', 7] }, permanent: { code: ['REJECTED_X'] } },
  };
  const reported = (answer: object, status = 400): SendResult => answered(status, answer, settings, OTP);

  it.each([
    ['no_credit', 'http-400-no_credit'],
    [7, 'http-400-7'],
    ['REJECTED_X', 'http-400-REJECTED_X'],
    [21_211, 'http-400-21211'],
    ['99', 'http-400-99'],
  ])('is passed on if it is a configured code or a short number: %s', (code, expected) => {
    expect(reported({ code })).toMatchObject({ code: expected });
  });

  it('is replaced by `other` if it is any other code', () => {
    const partial = ['Popescu', '771234', '7712', '4500', '123456', 'E', true];
    for (const code of ['otp-771234-POPESCU', 'req-1-abc', 'req-2-abc', ...partial])
      expect([code, reported({ code })]).toMatchObject([code, { code: 'http-400-other' }]);
  });

  it.each([
    ['otp-771234', undefined],
    ['2250be2d4219-3af1-78856', '2250be2d4219-3af1-78856'],
  ])('is passed on as an id only without parts of the message: %s', (id, providerMessageId) => {
    expect(reported({ id }, 200)).toEqual({ kind: 'sent', providerMessageId });
  });
});
