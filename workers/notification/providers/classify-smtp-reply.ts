import type { SendResult } from '../../../shared/notification/provider.ts';

/** The fields of nodemailer's errors that are used. Error messages contain addresses and are never passed on. */
export interface SmtpError {
  /** Code of nodemailer: ESOCKET, ETIMEDOUT, EAUTH, EENVELOPE … */
  readonly code?: string | undefined;
  /** Code of the operating system: ECONNREFUSED, ECONNRESET … */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  /** Present if all addresses were rejected: the error of each, in the order of the envelope. */
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

type Failed = Exclude<SendResult, { readonly kind: 'sent' }>;

/** Wrong or missing authentication, or encryption required: caused by the settings, not by the message. */
const AUTHENTICATION_REPLIES = new Set([530, 534, 535, 538]);
const SERVICE_CLOSING = 421;
/** Bad sequence of commands: a fault of the session; the message may be accepted on another connection. */
const BAD_SEQUENCE = 503;
const FIRST_PERMANENT = 500;

/** RFC 3463: address, mailbox, content, policy (greylisting), and too many recipients. */
const ABOUT_RECEIVER = /^4\.(?:[1267]\.|5\.3$)/;
/** Replies without an enhanced code: mailbox unavailable, or greylisting as most servers report it. */
const ABOUT_RECEIVER_REPLIES = new Set([450, 451]);
/** The second number has one digit; a longer one may be a number of the message. */
const ENHANCED_CODE = /^\d{3}[ -]([245]\.\d\.\d{1,3})\b/;

/** Codes of OpenSSL and of certificate validation. */
const TLS_FAULT = /^(?:ERR_|CERT|DEPTH|UNABLE|SELF_SIGNED|HOSTNAME)/;

const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timeout',
  EABORT: 'aborted',
  EDNS: 'host-unknown',
  ETLS: 'tls-failed',
  EPROTOCOL: 'protocol-fault',
};

/** Errors of the client before any part of the message is sent. */
const OUTCOMES_WITHOUT_REPLY: Readonly<Record<string, Failed>> = {
  EAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ENOAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ECONFIG: { kind: 'misconfigured', code: 'smtp-settings' },
  EENVELOPE: { kind: 'permanent', code: 'smtp-envelope-invalid' },
  EMESSAGE: { kind: 'permanent', code: 'smtp-message-too-large' },
  ESTREAM: { kind: 'permanent', code: 'smtp-message-unencodable' },
};

/**
 * `isBodyOut`: the whole message, with its final dot, was written. A reply decides: 4xx is transient, 5xx permanent; 535 and the
 * like, or a rejection before the message, are caused by the settings. Without a reply the outcome is unknown after the message;
 * before its end it was not sent, since a server discards an incomplete one (RFC 5321, 4.1.1.4).
 */
export function classifySmtpReply(fault: SmtpError, isBodyOut: boolean): Failed {
  if (fault.responseCode !== undefined && fault.responseCode >= 400) {
    return classifyReply(fault, fault.responseCode);
  }
  if (isBodyOut) return { kind: 'unknown', code: `smtp-${reason(fault)}-after-data` };
  return OUTCOMES_WITHOUT_REPLY[fault.code ?? ''] ?? { kind: 'transient', code: `smtp-${reason(fault)}` };
}

/** Whether a server rejected the sender: at MAIL, except for the size, which MAIL also declares. */
export function isAboutSender({ command = '', responseCode, response = '' }: SmtpError): boolean {
  const isSize = responseCode === 552 || /^[245]\.[23]\.[34]$/.test(ENHANCED_CODE.exec(response)?.[1] ?? '');
  return /^MAIL/i.test(command) && !isSize;
}

function classifyReply(fault: SmtpError, replyCode: number): Failed {
  const enhanced = ENHANCED_CODE.exec(fault.response ?? '')?.[1];
  const code = enhanced === undefined ? `smtp-${replyCode}` : `smtp-${replyCode}-${enhanced}`;
  const command = (fault.command ?? '').toUpperCase();
  if (replyCode === SERVICE_CLOSING) return { kind: 'transient', code };
  if (AUTHENTICATION_REPLIES.has(replyCode)) return { kind: 'misconfigured', code };
  const isAboutMessage = /^(MAIL|RCPT|DATA)/.test(command);
  if (replyCode < FIRST_PERMANENT) {
    return isAboutMessage && isAboutReceiver(replyCode, enhanced, command)
      ? { kind: 'transient', code, isAboutReceiver: true }
      : { kind: 'transient', code };
  }
  if (replyCode === BAD_SEQUENCE) return { kind: 'transient', code };
  return { kind: isAboutMessage ? 'permanent' : 'misconfigured', code };
}

function isAboutReceiver(replyCode: number, enhanced: string | undefined, command: string): boolean {
  if (enhanced !== undefined) return ABOUT_RECEIVER.test(enhanced);
  return command.startsWith('RCPT') && ABOUT_RECEIVER_REPLIES.has(replyCode);
}

function reason(fault: SmtpError): string {
  const { code = '', originalCode = '' } = fault;
  if (originalCode === 'ECONNREFUSED') return 'connection-refused';
  if (code === 'ESOCKET' && TLS_FAULT.test(originalCode)) return 'tls-failed';
  return REASONS[code] ?? 'connection-lost';
}
