import type { SendResult } from '../../../../shared/notification/provider.ts';

/** What nodemailer's errors tell; only these members are read, their texts hold addresses and never leave. */
export interface SmtpFault {
  /** Its own code: ESOCKET, ETIMEDOUT, EAUTH, EENVELOPE … */
  readonly code?: string | undefined;
  /** Of the operating system: ECONNREFUSED, ECONNRESET … */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

type Failed = Exclude<SendResult, { readonly kind: 'sent' }>;

/** Wrong or missing authentication, or encryption asked for first: a fault of the settings, not of the message. */
const AUTHENTICATION_REPLIES = new Set([530, 534, 535, 538]);
const SERVICE_CLOSING = 421;
/** Bad sequence of commands: about the session, the message may pass on another connection. */
const BAD_SEQUENCE = 503;
const FIRST_PERMANENT = 500;

/** RFC 3463: address, mailbox, policy (greylisting), content, and too many recipients of one message. */
const ABOUT_RECEIVER = /^4\.(?:[1267]\.|5\.3$)/;
/** Without an enhanced code: mailbox unavailable, and what most servers answer to an unknown sender (greylisting). */
const ABOUT_RECEIVER_REPLIES = new Set([450, 451]);
/** Subjects have one digit: what else looks like a code may be a number of the message. */
const ENHANCED_CODE = /^\d{3}[ -]([245]\.\d\.\d{1,3})\b/;

/** Codes of OpenSSL and of the check of certificates. */
const TLS_FAULT = /^(?:ERR_|CERT|DEPTH|UNABLE|SELF_SIGNED|HOSTNAME)/;

const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timeout',
  EABORT: 'aborted',
  EDNS: 'host-unknown',
  ETLS: 'tls-failed',
  EPROTOCOL: 'protocol-fault',
};

/** Found by the client itself before anything of the message went out. */
const OUTCOMES_WITHOUT_REPLY: Readonly<Record<string, Failed>> = {
  EAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ENOAUTH: { kind: 'misconfigured', code: 'smtp-authentication' },
  ECONFIG: { kind: 'misconfigured', code: 'smtp-settings' },
  EENVELOPE: { kind: 'permanent', code: 'smtp-envelope-invalid' },
  EMESSAGE: { kind: 'permanent', code: 'smtp-message-too-large' },
  ESTREAM: { kind: 'permanent', code: 'smtp-message-unencodable' },
};

/**
 * What a failed handing-over means. `isBodyOut`: the last byte of the message, the dot that ends it, had been given to the
 * connection; from then on only a reply tells whether the server took it.
 *
 * - A reply decides always: 4xx was not taken now, 5xx never will be; 535 and its kin, and a refusal before any message
 *   (greeting, EHLO, STARTTLS, AUTH), are a fault of the settings.
 * - No reply and the body out: unknown.
 * - No reply before that: surely not sent, as a server drops a message whose end it has not seen (RFC 5321 4.1.1.4).
 */
export function smtpOutcome(fault: SmtpFault, isBodyOut: boolean): Failed {
  if (fault.responseCode !== undefined && fault.responseCode >= 400) {
    return outcomeOfReply(fault, fault.responseCode);
  }
  if (isBodyOut) return { kind: 'unknown', code: `smtp-${reason(fault)}-after-data` };
  return OUTCOMES_WITHOUT_REPLY[fault.code ?? ''] ?? { kind: 'transient', code: `smtp-${reason(fault)}` };
}

/** Whether a server refused the sender: at MAIL, unless it spoke of the size, which stands there too. */
export function isAboutSender({ command = '', responseCode, response = '' }: SmtpFault): boolean {
  const isSize = responseCode === 552 || /^[245]\.[23]\.[34]$/.test(ENHANCED_CODE.exec(response)?.[1] ?? '');
  return /^MAIL/i.test(command) && !isSize;
}

function outcomeOfReply(fault: SmtpFault, replyCode: number): Failed {
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

/** Words for what broke the connection. */
function reason(fault: SmtpFault): string {
  const { code = '', originalCode = '' } = fault;
  if (originalCode === 'ECONNREFUSED') return 'connection-refused';
  if (code === 'ESOCKET' && TLS_FAULT.test(originalCode)) return 'tls-failed';
  return REASONS[code] ?? 'connection-lost';
}
