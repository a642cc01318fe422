import { createPrivateKey } from 'node:crypto';
import { Readable } from 'node:stream';
import { type MailMessage, type SMTPPoolOptions, createTransport } from 'nodemailer';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import type { ProviderEntry } from '../../../shared/notification/provider-configuration.ts';
import type { Provider, SendResult } from '../../../shared/notification/provider.ts';
import type { Clock, Deadline } from '../../../shared/platform/system-ports.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import { type OutboundEmail, mailContent } from './mail-content.ts';
import { type SmtpError, isAboutSender, classifySmtpReply } from './classify-smtp-reply.ts';
import { createProviderConnections } from './provider-connections.ts';
import { sanitiseId } from './sanitise-provider-text.ts';

/** The password and keys must never be logged. */
export type SmtpSettings = ReturnType<typeof smtpSettings>;

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
/** Mail servers commonly allow 10 to 20 connections per client, and 100 messages on each. */
const SMTP_CONNECTIONS = 10;
const SMTP_MESSAGES = 100;

/** Time limit for each of the DNS look-up, the connection and the greeting. */
const SET_UP_LIMIT_MS = 10_000;
/** After this long the socket is destroyed even if the server has not closed its side. */
const CLOSE_LIMIT_MS = 1_000;
/** Idle connections are closed before servers would close them during a message (RFC 5321 asks for 5 minutes). */
const IDLE_LIMIT_MS = 60_000;

/** Headers that are signed if present. nodemailer's default list lacks List-Unsubscribe-Post (RFC 8058). */
const SIGNED_HEADERS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:' +
  'Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post';

/** Reads an SMTP entry. TLS is required by default, unless the server is on this machine or allowInsecure is true. */
export function smtpSettings({ name, defaultSender, settings }: ProviderEntry, timeoutMs: number) {
  const { url = '', authentication, smtp, limits, allowInsecure } = settings;
  const address = new URL(url);
  const secure = address.protocol === 'smtps:';
  return {
    name,
    host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: address.port === '' ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(address.port),
    /** True for TLS from the first byte, false for STARTTLS if the server offers it. */
    secure,
    /** True if nothing may be sent without TLS, even if the server does not offer it or STARTTLS fails. */
    requireTls: smtp?.requireTls ?? !(isLoopback(address.hostname) || allowInsecure),
    username: authentication.username,
    password: authentication.password,
    maxConnections: smtp?.maxConnections ?? SMTP_CONNECTIONS,
    maxMessages: smtp?.maxMessages ?? SMTP_MESSAGES,
    /** Time limit from when a connection is free, or can be opened, to the reply. */
    timeoutMs: Math.min(limits.timeoutMs ?? timeoutMs, timeoutMs),
    dkim: smtp?.dkim,
    tls: smtp?.tls,
    defaultSender,
  };
}

/**
 * Nothing is sent if the server rejects the receiver. Rejected copies (cc, bcc) only add a code of the first rejection,
 * such as `smtp-partial-550`. The provider is not idempotent, because mail servers need not recognise a Message-ID.
 * Throws ConfigError for a DKIM key that cannot sign.
 */
export function createSmtpProvider(settings: SmtpSettings, deps: { readonly clock: Clock }): Provider {
  const transport = createPool(settings);
  const connections = createProviderConnections(settings.maxConnections, settings.timeoutMs);
  const secrets = [settings.username, settings.password].filter((secret) => secret !== undefined);
  const sendNow = async (message: OutboundEmail, deadline: Deadline): Promise<SendResult> => {
    const sensitive = { message, secrets };
    const watch: BodyWatch = { isBodyOut: false, receiverFault: undefined };
    try {
      const content = await mailContent(message, settings, new Date(deps.clock.now()));
      if (content.kind !== 'mail') return content;
      const watched = { ...content.options, watch, signal: deadline.signal };
      const info = await transport.sendMail(watched);
      const partial = info.rejectedErrors?.[0];
      return {
        kind: 'sent',
        providerMessageId: sanitiseId(info.serverMessageId, sensitive) ?? info.messageId,
        ...(partial === undefined
          ? {}
          : { code: classifySmtpReply(partial, false).code.replace('smtp', 'smtp-partial') }),
      };
    } catch (error) {
      return classifyFailure(error as SmtpError, message, watch, deadline.isTimedOut());
    }
  };
  return {
    name: settings.name,
    channel: 'email',
    isIdempotent: false,
    concurrency: settings.maxConnections,
    send: async (message: Outbound, caller, priority = 'normal') => {
      if (message.channel !== 'email') return { kind: 'permanent', code: 'channel-wrong' };
      const result = await connections.use({ priority, caller }, (deadline) => sendNow(message, deadline));
      return result.code === 'aborted' ? { kind: 'transient', code: 'smtp-aborted' } : result;
    },
    close: async () => {
      await connections.close();
      transport.close();
    },
  };
}

function createPool(settings: SmtpSettings) {
  const transport = createTransport({ ...poolOptions(settings), pool: true });
  // The failed send reports the same error.
  transport.on('error', () => undefined);
  transport.use('stream', (mail, done) => {
    watchMessageBody(mail, (mail.data as unknown as { readonly watch: BodyWatch }).watch);
    done();
  });
  return transport;
}

/**
 * If all addresses are rejected, the first reply, that of the receiver, decides; nodemailer itself would report
 * a deferred copy. If a default sender is rejected, the settings are the cause.
 */
function classifyFailure(
  error: SmtpError,
  message: OutboundEmail,
  { receiverFault, isBodyOut }: BodyWatch,
  isTimedOut: boolean,
): SendResult {
  if (receiverFault !== undefined) return classifySmtpReply(receiverFault, false);
  const fault = error.rejectedErrors?.[0] ?? error;
  const isLate = isTimedOut && fault.code === 'EABORT';
  const outcome = classifySmtpReply(isLate ? { code: 'ETIMEDOUT' } : fault, isBodyOut);
  const isOfSettings = message.sender === undefined && isAboutSender(fault);
  return isOfSettings && outcome.kind === 'permanent' ? { ...outcome, kind: 'misconfigured' } : outcome;
}

/** There is no logger, because nodemailer logs addresses. All timeouts are set, because their defaults are minutes. */
function poolOptions(settings: SmtpSettings): SMTPPoolOptions {
  const setUpMs = Math.min(SET_UP_LIMIT_MS, settings.timeoutMs);
  const { host, port, secure, maxConnections, maxMessages, username, password, dkim } = settings;
  return {
    host,
    port,
    secure,
    maxConnections,
    maxMessages,
    requireTLS: settings.requireTls,
    // With forceAuth sending fails if the server, or an attacker in between, offers no login.
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' }, forceAuth: true }),
    // Limits the cost of a server that closes each connection. A message of which a byte was read is never repeated.
    maxRequeues: 1,
    dnsTimeout: setUpMs,
    connectionTimeout: setUpMs,
    greetingTimeout: setUpMs,
    socketTimeout: settings.timeoutMs,
    socketCloseTimeout: CLOSE_LIMIT_MS,
    idleTimeout: IDLE_LIMIT_MS,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: settings.tls?.rejectUnauthorized ?? true,
      ...(settings.tls?.ca === undefined ? {} : { ca: settings.tls.ca }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
    ...(dkim === undefined ? {} : { dkim: { ...checkDkim(dkim), headerFieldNames: SIGNED_HEADERS } }),
  };
}

/** Checks the key, because nodemailer silently sends messages unsigned if it cannot sign them. */
function checkDkim<Dkim extends { readonly privateKey: string }>(dkim: Dkim): Dkim {
  let type: string | undefined;
  try {
    type = createPrivateKey(dkim.privateKey).asymmetricKeyType;
  } catch {
    type = undefined;
  }
  if (type !== 'rsa')
    throw new ConfigError('the DKIM private key must be an RSA key in PEM without a passphrase');
  return dkim;
}

interface BodyWatch {
  /** True if the last part of the message was passed to the connection, so that the final dot follows. */
  isBodyOut: boolean;
  /** Set if the server rejected the receiver but accepted a copy; then the message was withheld. */
  receiverFault: object | undefined;
}

/** Bytes that are read ahead of the connection. It is not known whether the server has them. */
const READ_AHEAD_BYTES = 16_384;

/**
 * Notes what was sent, because nodemailer's errors do not say it. When the first byte is read, all addresses have a
 * reply. If the receiver is rejected, nothing is sent, so that a retry does not deliver the copies twice. A message
 * that was sent is never sent on another connection.
 */
function watchMessageBody({ message }: MailMessage, watch: BodyWatch): void {
  if (message === null) throw new Error('the message is not composed yet');
  const envelope: ReturnType<typeof message.getEnvelope> & {
    readonly rejectedErrors?: readonly (object & { readonly recipient?: string })[];
  } = message.getEnvelope();
  message.getEnvelope = () => envelope;
  const create = message.createReadStream.bind(message);
  async function* read(): AsyncGenerator<Buffer> {
    if (watch.isBodyOut) throw new Error('the message was already sent');
    // The first address of the envelope is the receiver, with its domain encoded as on the wire.
    const [receiver] = envelope.to;
    watch.receiverFault = envelope.rejectedErrors?.find((fault) => fault.recipient === receiver);
    if (watch.receiverFault !== undefined) throw new Error('the receiver is rejected');
    yield* create() as AsyncIterable<Buffer>;
    watch.isBodyOut = true;
  }
  message.createReadStream = () =>
    Readable.from(read(), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
}
