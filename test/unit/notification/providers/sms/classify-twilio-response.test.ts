import { describe, expect, it } from 'vitest';
import type { SendResult } from '../../../../../shared/notification/provider.ts';
import { classifyTwilioResponse } from '../../../../../workers/notification/providers/sms/classify-twilio-response.ts';
import { anSms, outboundSms } from '../../../../support/builders/outbound-messages.ts';

const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);

function classified(
  status: number,
  body: object | string,
  { headers = {}, message = outboundSms() }: { headers?: Record<string, string>; message?: object } = {},
): SendResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sensitive = { message: outboundSms(message), secrets: [] };
  return classifyTwilioResponse({ kind: 'response', response: { status, headers, text } }, NOW, sensitive);
}
const fault = (code: number) => ({ code, message: 'About +40722123456', more_info: 'https://…' });

describe('a response of Twilio', () => {
  it.each<[number, number, SendResult['kind']]>([
    [429, 20_429, 'transient'],
    [503, 20_503, 'transient'],
    [408, 20_408, 'transient'],
    [400, 21_611, 'transient'],
    [400, 21_730, 'transient'],
    [500, 20_500, 'unknown'],
    [401, 20_003, 'misconfigured'],
    [404, 20_404, 'misconfigured'],
    [400, 21_211, 'permanent'],
    [400, 21_610, 'permanent'],
    [400, 21_212, 'permanent'],
    [403, 20_999, 'misconfigured'],
    [403, 22_000, 'misconfigured'],
    [409, 30_001, 'permanent'],
    [413, 30_001, 'permanent'],
    [422, 30_001, 'permanent'],
  ])('with status %i and code %i is %s', (status, code, kind) => {
    expect(classified(status, fault(code))).toEqual({ kind, code: `http-${status}-${code}` });
  });

  it.each<[number, SendResult['kind']]>([
    [302, 'misconfigured'],
    [403, 'misconfigured'],
    [502, 'unknown'],
    [504, 'unknown'],
  ])('with status %i and no code is %s', (status, kind) => {
    expect(classified(status, '<html>')).toEqual({ kind, code: `http-${status}` });
  });

  it.each([
    ['7', 7_000],
    [new Date(NOW + 90_000).toUTCString(), 90_000],
  ])('has a waiting time for Retry-After %s', (text, retryAfterMs) => {
    const result = classified(429, fault(20_429), { headers: { 'retry-after': text } });
    expect(result).toEqual({ kind: 'transient', code: 'http-429-20429', retryAfterMs });
  });

  it('is a misconfiguration if it rejects the default sender', () => {
    expect(classified(400, fault(21_212), { message: { sender: undefined } })).toEqual({
      kind: 'misconfigured',
      code: 'http-400-21212',
    });
  });

  it.each([
    ['queued', { kind: 'sent', providerMessageId: 'SM1' }],
    ['failed', { kind: 'permanent', code: 'http-201-30007' }],
    ['undelivered', { kind: 'permanent', code: 'http-201-30007' }],
  ])('that creates a message with status %s is classified by it', (status, expected) => {
    expect(classified(201, { sid: 'SM1', status, error_code: 30_007 })).toEqual(expected);
  });

  it('that cannot be parsed counts as sent, because the message was created', () => {
    expect(classified(201, '<html>')).toEqual({ kind: 'sent', providerMessageId: undefined });
    expect(classified(299, 'null')).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it('does not pass on a number that may be part of the message', () => {
    const message = { message: 'Your code is 48291.' };
    const created = { sid: 'SM40722123456', status: 'failed', error_code: 48_291 };
    expect(classified(400, fault(48_291), { message })).toMatchObject({ code: 'http-400-other' });
    expect(classified(400, fault(482_913), { message })).toMatchObject({ code: 'http-400-other' });
    expect(classified(201, created, { message })).toMatchObject({ code: 'http-201-other' });
    expect(classified(201, { ...created, status: 'queued' })).toEqual({
      kind: 'sent',
      providerMessageId: undefined,
    });
  });
});

it.each([
  ['not-begun', 'connect-econnrefused', 'transient', 'connect-econnrefused'],
  ['not-begun', 'request-invalid', 'misconfigured', 'request-invalid'],
  ['broken', 'timed-out', 'unknown', 'timed-out'],
] as const)('a call that is %s with %s is %s with code %s', (kind, code, result, expected) => {
  const sensitive = { message: anSms(), secrets: [] };
  expect(classifyTwilioResponse({ kind, code }, NOW, sensitive)).toEqual({ kind: result, code: expected });
});
