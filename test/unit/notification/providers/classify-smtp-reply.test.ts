import { describe, expect, it } from 'vitest';
import {
  type SmtpError,
  classifySmtpReply,
  isAboutSender,
} from '../../../../workers/notification/providers/classify-smtp-reply.ts';

const reply = (responseCode: number, response: string, command: string): SmtpError => ({
  code: 'EENVELOPE',
  responseCode,
  response: `${responseCode} ${response}`,
  command,
});

describe('a failed SMTP transaction', () => {
  it.each<[SmtpError, string, string]>([
    [{ code: 'EDNS', originalCode: 'ENOTFOUND' }, 'transient', 'smtp-host-unknown'],
    [{ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'transient', 'smtp-connection-refused'],
    [{ code: 'ESOCKET', originalCode: 'ECONNRESET' }, 'transient', 'smtp-connection-lost'],
    [{ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'transient', 'smtp-tls-failed'],
    [{ code: 'ETLS' }, 'transient', 'smtp-tls-failed'],
    [{ code: 'EPROTOCOL' }, 'transient', 'smtp-protocol-fault'],
    [{ code: 'ETIMEDOUT' }, 'transient', 'smtp-timeout'],
    [{}, 'transient', 'smtp-connection-lost'],
    [{ code: 'EAUTH' }, 'misconfigured', 'smtp-authentication'],
    [{ code: 'EENVELOPE' }, 'permanent', 'smtp-envelope-invalid'],
    [{ code: 'EMESSAGE' }, 'permanent', 'smtp-message-too-large'],
    [{ code: 'ESTREAM' }, 'permanent', 'smtp-message-unencodable'],
    [reply(554, '5.7.1 not you', 'CONN'), 'misconfigured', 'smtp-554-5.7.1'],
    [reply(451, '4.3.0 later', 'MAIL FROM'), 'transient', 'smtp-451-4.3.0'],
    [reply(530, '5.7.0 log in first', 'MAIL FROM'), 'misconfigured', 'smtp-530-5.7.0'],
    [reply(421, '4.7.0 too many', 'RCPT TO'), 'transient', 'smtp-421-4.7.0'],
    [reply(550, '5.1.1 no such user', 'RCPT TO'), 'permanent', 'smtp-550-5.1.1'],
    [reply(554, '5.7.1 looks like spam', 'DATA'), 'permanent', 'smtp-554-5.7.1'],
    [reply(535, '5.7.8 wrong', 'AUTH PLAIN'), 'misconfigured', 'smtp-535-5.7.8'],
    [{ code: 'ECONFIG' }, 'misconfigured', 'smtp-settings'],
    [{ code: 'ENOAUTH' }, 'misconfigured', 'smtp-authentication'],
    [{ code: 'EABORT' }, 'transient', 'smtp-aborted'],
    [reply(503, '5.5.1 bad sequence', 'RCPT TO'), 'transient', 'smtp-503-5.5.1'],
    [reply(502, 'what?', 'EHLO'), 'misconfigured', 'smtp-502'],
    [reply(454, '4.7.0 TLS not available', 'STARTTLS'), 'transient', 'smtp-454-4.7.0'],
    [reply(534, '5.7.9 mechanism too weak', 'AUTH PLAIN'), 'misconfigured', 'smtp-534-5.7.9'],
    [reply(550, '<ana@example.net>: no such user', 'RCPT TO'), 'permanent', 'smtp-550'],
  ])('with %j before the end of the body is %s with code %s', (fault, kind, code) => {
    expect(classifySmtpReply(fault, false)).toEqual({ kind, code });
  });

  it.each<[SmtpError, string, string]>([
    [{ code: 'ESOCKET', originalCode: 'ECONNRESET' }, 'unknown', 'smtp-connection-lost-after-data'],
    [{ code: 'ETIMEDOUT' }, 'unknown', 'smtp-timeout-after-data'],
    [{ code: 'EABORT' }, 'unknown', 'smtp-aborted-after-data'],
    [{ code: 'EPROTOCOL' }, 'unknown', 'smtp-protocol-fault-after-data'],
    [{ code: 'ESTREAM' }, 'unknown', 'smtp-connection-lost-after-data'],
    [
      { code: 'EPROTOCOL', responseCode: 354, response: '354 a' },
      'unknown',
      'smtp-protocol-fault-after-data',
    ],
    [reply(451, '4.3.0 later', 'DATA'), 'transient', 'smtp-451-4.3.0'],
    [reply(554, '5.6.0 no', 'DATA'), 'permanent', 'smtp-554-5.6.0'],
    [reply(421, '4.3.2 closing', 'DATA'), 'transient', 'smtp-421-4.3.2'],
  ])('with %j after the end of the body is %s with code %s', (fault, kind, code) => {
    expect(classifySmtpReply(fault, true)).toEqual({ kind, code });
  });

  it.each([
    [451, 'greylisted, come back in five minutes', 'RCPT TO', true],
    [450, '4.2.0 greylisted', 'RCPT TO', true],
    [450, 'busy', 'RCPT TO', true],
    [451, '4.2.0 busy', 'MAIL FROM', true],
    [452, '4.5.3 too many recipients', 'RCPT TO', true],
    [451, '4.6.1 no conversion', 'DATA', true],
    [452, '4.3.1 no room in the queue', 'RCPT TO', false],
    [452, 'no room in the queue', 'RCPT TO', false],
    [451, 'no room in the queue', 'DATA', false],
    [450, '4.7.1 too many connections', 'EHLO', false],
  ])(
    'with %i %s at %s affects only this message or receiver: %s',
    (status, text, command, isAboutReceiver) => {
      const outcome = classifySmtpReply(reply(status, text, command), false);
      expect(outcome.kind).toBe('transient');
      expect('isAboutReceiver' in outcome).toBe(isAboutReceiver);
    },
  );

  it.each([
    ['MAIL FROM', 553, '5.1.8 sender', true],
    ['RCPT TO', 553, '5.1.8 sender', false],
    ['MAIL FROM', 552, 'too big', false],
    ['MAIL FROM', 452, '4.3.4 too big', false],
    ['MAIL FROM', 550, '5.2.3 too big', false],
  ])('at %s with %i %s rejects the sender, not the size: %s', (command, status, text, expected) => {
    expect(isAboutSender(reply(status, text, command))).toBe(expected);
  });
});
