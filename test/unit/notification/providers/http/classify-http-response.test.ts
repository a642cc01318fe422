import { describe, expect, it } from 'vitest';
import type { Outbound } from '../../../../../shared/notification/command.ts';
import type { SendResult } from '../../../../../shared/notification/provider.ts';
import { classifyHttpResponse } from '../../../../../workers/notification/providers/http/classify-http-response.ts';
import { httpEntry } from '../../../../support/builders/provider-entry.ts';
import { anEmail, anSms } from '../../../../support/builders/outbound-messages.ts';

const contextOf = (message: Outbound, secrets: readonly string[] = []) => ({
  nowMs: 0,
  sensitive: { message, secrets },
  isUrlOfMessage: false,
});
const CONTEXT = contextOf(anSms());

/** The kind of send result of a response with these connector settings. */
function classified(
  answer: { readonly status: number; readonly body?: unknown; readonly text?: string },
  settings: object = {},
): string {
  const { connector } = httpEntry({ connector: settings }).settings;
  const text = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  const result = classifyHttpResponse({ status: answer.status, headers: {}, text }, connector!, CONTEXT);
  return result.kind;
}

const answered = (status: number, body: unknown, settings: object): SendResult => {
  const { connector } = httpEntry({ connector: settings }).settings;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return classifyHttpResponse({ status, headers: {}, text }, connector!, CONTEXT);
};

describe('the subject of a failure', () => {
  const success = { tests: [{ pointer: '/status', equals: '0' }] };
  const byCode = { success, errorCode: ['/status'] };
  const byRow = { success, failures: [{ status: [200], result: 'unknown' }] };

  it('is the message if the provider itself answered with an unknown outcome', () => {
    const about = { kind: 'unknown', isAboutMessage: true };
    expect(answered(200, { status: '9' }, byCode)).toMatchObject(about);
    expect(answered(200, { status: '9' }, byRow)).toMatchObject(about);
    expect(answered(409, {}, { idempotency: { header: 'Id' } })).toMatchObject(about);
  });

  it('is the provider if the response cannot be read or comes from an intermediary', () => {
    expect(answered(200, '<html>', byCode)).toEqual({ kind: 'unknown', code: 'http-200' });
    expect(answered(502, { status: '9' }, byCode)).toEqual({ kind: 'unknown', code: 'http-502-9' });
  });

  it('is the receiver if the matching row has aboutReceiver', () => {
    const failures = [
      { code: ['7'], result: 'transient', aboutReceiver: true },
      { code: ['8'], result: 'transient' },
    ];
    const settings = { ...byCode, failures };
    expect(answered(200, { status: '7' }, settings)).toMatchObject({
      kind: 'transient',
      isAboutReceiver: true,
    });
    expect(answered(200, { status: '8' }, settings)).not.toHaveProperty('isAboutReceiver');
  });
});

describe('a status without a matching row', () => {
  it.each([
    ['sent', [200, 201, 202, 204, 299]],
    ['misconfigured', [301, 302, 307, 308, 401, 402, 403, 404, 405, 407, 415, 501, 505, 511]],
    ['transient', [408, 425, 429, 500, 503]],
    ['permanent', [400, 406, 409, 410, 413, 422, 451, 499]],
    ['unknown', [502, 504, 507, 520, 524, 599]],
  ])('is classified as %s', (kind, statuses) => {
    expect(statuses.map((status) => [status, classified({ status })])).toEqual(
      statuses.map((status) => [status, kind]),
    );
  });
});

describe('the tests of a response body', () => {
  const settings = { success: { status: [200], tests: [{ pointer: '/a~1b/0/c~0d', equals: 0 }] } };

  it('compare numbers and strings as strings at any JSON pointer', () => {
    expect(classified({ status: 200, body: { 'a/b': [{ 'c~d': '0' }] } }, settings)).toBe('sent');
    expect(classified({ status: 200, body: { 'a/b': [{ 'c~d': 0 }] } }, settings)).toBe('sent');
    expect(classified({ status: 200, body: { 'a/b': [{ 'c~d': 1 }] } }, settings)).toBe('unknown');
  });

  it.each([
    ['not JSON', { status: 200, text: '{' }],
    ['empty', { status: 200, text: '' }],
    ['incomplete', { status: 200 }],
    ['null', { status: 200, body: null }],
    ['an object instead of a scalar', { status: 200, body: { 'a/b': [{ 'c~d': {} }] } }],
  ])('leave the outcome unknown if the body is %s', (_, answer) => {
    expect(classified(answer, settings)).toBe('unknown');
  });
});

describe('the rows of failures', () => {
  const settings = {
    errorCode: ['/missing', '/code'],
    failures: [
      { status: [400], code: ['busy'], result: 'transient' },
      { status: ['4xx'], tests: [{ pointer: '/who', oneOf: ['us', 'you'] }], result: 'misconfigured' },
      { status: ['5xx'], result: 'transient' },
    ],
  };

  it('take precedence over the status in order, and match only if all conditions hold', () => {
    expect(classified({ status: 400, body: { code: 'busy', who: 'us' } }, settings)).toBe('transient');
    expect(classified({ status: 422, body: { code: 'busy', who: 'us' } }, settings)).toBe('misconfigured');
    expect(classified({ status: 422, body: { code: 'busy' } }, settings)).toBe('permanent');
    expect(classified({ status: 502 }, settings)).toBe('transient');
  });

  it('do not match a body that cannot be parsed if they have tests', () => {
    const absent = {
      failures: [{ tests: [{ pointer: '/error', exists: false }], result: 'permanent' }],
      success: { status: [201] },
    };
    expect(classified({ status: 200, text: '{' }, absent)).toBe('unknown');
    expect(classified({ status: 200, body: {} }, absent)).toBe('permanent');
  });
});

describe('provider text', () => {
  const otp = anSms({
    sender: 'YourBank',
    receiver: '+40722123456',
    message: 'Domnule Popescu, codul este 771 234. Limita 4500.',
  });
  const settings = {
    errorCode: ['/code'],
    id: { pointer: '/id' },
    failures: [
      { code: ['no_credit', 7], result: 'misconfigured' },
      { status: [400], tests: [{ pointer: '/code', oneOf: ['REJECTED_X'] }], result: 'permanent' },
    ],
  };
  const { connector } = httpEntry({ connector: settings }).settings;
  const reported = (answer: object, message: Outbound, status = 400): SendResult =>
    classifyHttpResponse(
      { status, headers: {}, text: JSON.stringify(answer) },
      connector!,
      contextOf(message, ['key-7f3a99']),
    );

  it.each([
    ['no_credit', 'http-400-no_credit'],
    [7, 'http-400-7'],
    ['REJECTED_X', 'http-400-REJECTED_X'],
    [21_211, 'http-400-21211'],
    ['99', 'http-400-99'],
  ])('is passed on if it is a configured code or a short number: %s', (code, expected) => {
    expect(reported({ code }, otp)).toMatchObject({ code: expected });
  });

  it.each([
    'otp-771234-POPESCU',
    'req-1-abc',
    'req-2-abc',
    'Popescu',
    '771234',
    '7712',
    '4500',
    '123456',
    'E',
    true,
  ])('is replaced by `other` if it is any other code: %s', (code) => {
    expect(reported({ code }, otp)).toMatchObject({ code: 'http-400-other' });
  });

  it.each([
    ['the password', 'otp-771234'],
    ['a part of the telephone number', 'x22123456y'],
    ['a word', 'id-POPESCU-1'],
    ['a word within a longer one', 'xxpopescuxx'],
    ['the key', 'a-key-7f3a99'],
    ['blanks', 'a b'],
    ['more than 64 characters', 'x'.repeat(65)],
  ])('is not passed on as an id with %s', (_, id) => {
    expect(reported({ id }, otp, 200)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it.each([
    '2250be2d4219-3af1-78856',
    '<20260302.1@mg.bank.example>',
    'SM1',
    '9C817C6F8AF3D48F9FE553282AFA2B67',
  ])('is passed on as an id otherwise: %s', (id) => {
    const message = anEmail({ message: 'Your bank sent it.', sender: 'Your Bank <info@mg.bank.example>' });
    expect(reported({ id }, otp, 200)).toEqual({ kind: 'sent', providerMessageId: id });
    expect(reported({ id }, message, 200)).toEqual({ kind: 'sent', providerMessageId: id });
  });
});
