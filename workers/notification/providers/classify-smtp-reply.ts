import type { SendResult } from '../../../shared/notification/provider.ts';

/** The fields of nodemailer's errors that are used. Error messages contain addresses and are never passed on. */
export interface SmtpError {
  /** Code of nodemailer, such as ESOCKET, ETIMEDOUT, EAUTH or EENVELOPE. */
  readonly code?: string | undefined;
  /** Code of the operating system, such as ECONNREFUSED. */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  /** Errors of the addresses, in the order of the envelope, if all were rejected. */
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

type Failed = Exclude<SendResult, { readonly kind: 'sent' }>;

/** The settings are the cause: authentication is wrong or missing, or encryption is required. */
const AUTHENTICATION_REPLIES = new Set([530, 534, 535, 538]);
const SERVICE_CLOSING = 421;
/** A bad sequence of commands is a fault of the session. Another connection may accept the message. */
const BAD_SEQUENCE = 503;
const FIRST_PERMANENT = 500;

/** Enhanced codes (RFC 3463) about address, mailbox, content, policy (greylisting), and too many recipients. */
const ABOUT_RECEIVER = /^4\.(?:[1267]\.|5\.3$)/;
/** Without an enhanced code these mean an unavailable mailbox, or greylisting. */
const ABOUT_RECEIVER_REPLIES = new Set([450, 451]);
/** The second number must have one digit. A longer one may be a number from the message. */
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

/** Errors of the client before the message has been sent completely. */
const OUTCOMES_WITHOUT_REPLY: Readonly<Record<string, Failed>> = {
  EAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ENOAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ECONFIG: { kind: 'misconfigured', code: 'smtp-settings' },
  EENVELOPE: { kind: 'permanent', code: 'smtp-envelope-invalid' },
  EMESSAGE: { kind: 'permanent', code: 'smtp-message-too-large' },
  ESTREAM: { kind: 'permanent', code: 'smtp-message-unencodable' },
};

/**
 * A reply decides: 4xx and 503 are transient, other 5xx permanent, unless the settings are the cause (535 and the like,
 * or any 5xx before MAIL). Without a reply the outcome is unknown if the end of the message was passed to the
 * connection (`isBodyOut`). Otherwise the message is unsent: servers discard incomplete ones (RFC 5321, 4.1.1.4).
 */
export function classifySmtpReply(fault: SmtpError, isBodyOut: boolean): Failed {
  if (fault.responseCode !== undefined && fault.responseCode >= 400) {
    return classifyReply(fault, fault.responseCode);
  }
  if (isBodyOut) return { kind: 'unknown', code: `smtp-${reason(fault)}-after-data` };
  return OUTCOMES_WITHOUT_REPLY[fault.code ?? ''] ?? { kind: 'transient', code: `smtp-${reason(fault)}` };
}

/** True if the server rejected the sender: it rejected MAIL, but not because of the size, which MAIL declares too. */
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
