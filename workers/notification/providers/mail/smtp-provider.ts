import { createPrivateKey } from 'node:crypto';
import { type SMTPPoolOptions, createTransport } from 'nodemailer';
import type { Outbound } from '../../../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { openDeadline } from '../../../../shared/platform/deadline.ts';
import { ConfigError } from '../../../../shared/platform/errors.ts';
import { type OutboundEmail, mailContent } from './mail-content.ts';
import type { DkimSettings, SmtpSettings } from '../provider-settings.ts';
import { type SmtpFault, isAboutSender, smtpOutcome } from './classify-smtp-reply.ts';
import { tellableId } from '../common/sanitise-provider-text.ts';
import { type BodyWatch, watchBody } from './message-body-watch.ts';

/** To find the host, to connect, to be greeted: a mail server that needs longer is as good as down. */
const SET_UP_LIMIT_MS = 10_000;
/** Then the socket is destroyed although the server has not closed its side. */
const CLOSE_LIMIT_MS = 1_000;
/** Idle connections are closed by us, before servers do it in the middle of a message (RFC 5321 asks for 5 minutes). */
const IDLE_LIMIT_MS = 60_000;

/** What the signature covers, if the message has it. nodemailer's own list leaves List-Unsubscribe-Post out (RFC 8058). */
const SIGNED_HEADERS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:' +
  'Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post';

/** What rides along with a message to the place where its stream is made. */
interface WatchedMail {
  readonly watch: BodyWatch;
}

/**
 * Sends e-mail by SMTP over a pool of connections. Not idempotent: a repeated message keeps its Message-ID, by which the
 * receiving side may tell, but must not. Throws ConfigError when the DKIM key is none, since messages would go out unsigned.
 *
 * Of several addresses the receiver's decides: refused, nobody gets the message. Refused copies (cc, bcc) do not hold up
 * the others; the result is `sent` with the code of the first refusal behind `smtp-partial`.
 */
export function createSmtpProvider(settings: SmtpSettings, deps: { readonly clock: Clock }): Provider {
  const transport = createTransport({ ...poolOptions(settings), pool: true });
  /** Emitted beside the failed send, which tells the same. */
  transport.on('error', () => undefined);
  transport.use('stream', (mail, done) => {
    watchBody(mail, (mail.data as unknown as WatchedMail).watch);
    done();
  });
  const secrets = [settings.username, settings.password].filter((secret) => secret !== undefined);
  const send = async (message: OutboundEmail, caller: AbortSignal): Promise<SendResult> => {
    using deadline = openDeadline(caller, settings.timeoutMs);
    const untellable = { message, secrets, configured: [settings.host] };
    const watch: BodyWatch = { isBodyOut: false, receiverFault: undefined };
    try {
      const content = await mailContent(message, settings, new Date(deps.clock.now()));
      if (content.kind === 'impossible') return { kind: content.result, code: content.code };
      const watched: WatchedMail = { watch };
      const info = await transport.sendMail({ ...content.options, ...watched, signal: deadline.signal });
      const partial = info.rejectedErrors?.[0];
      return {
        kind: 'sent',
        providerMessageId: tellableId(info.serverMessageId, untellable) ?? info.messageId,
        ...(partial === undefined
          ? {}
          : { code: smtpOutcome(partial, false).code.replace('smtp', 'smtp-partial') }),
      };
    } catch (error) {
      return failureOf(error as SmtpFault, { message, watch, isTimedOut: deadline.isTimedOut() });
    }
  };

  const underWay = new Set<Promise<SendResult>>();
  let isClosed = false;
  return {
    name: settings.name,
    channel: 'email',
    isIdempotent: false,
    concurrency: settings.maxConnections,
    send: async (message: Outbound, signal) => {
      if (message.channel !== 'email') return { kind: 'permanent', code: 'channel-wrong' };
      if (isClosed) return { kind: 'transient', code: 'provider-closed' };
      const sending = send(message, signal);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
      transport.close();
    },
  };
}

/** What a failed sending means; a default sender that the server refuses is a fault of the settings. */
function failureOf(
  fault: SmtpFault,
  how: {
    readonly message: OutboundEmail;
    readonly watch: BodyWatch;
    readonly isTimedOut: boolean;
  },
): SendResult {
  const { receiverFault, isBodyOut } = how.watch;
  if (receiverFault !== undefined) return smtpOutcome(receiverFault, false);
  const isLate = how.isTimedOut && fault.code === 'EABORT';
  const outcome = smtpOutcome(isLate ? { code: 'ETIMEDOUT' } : fault, isBodyOut);
  const isOfSettings = how.message.sender === undefined && isAboutSender(fault);
  return isOfSettings && outcome.kind === 'permanent' ? { ...outcome, kind: 'misconfigured' } : outcome;
}

/** No logger: nodemailer's knows addresses. Every time-out is given, as its own are minutes long. */
function poolOptions(settings: SmtpSettings): SMTPPoolOptions {
  const setUpMs = Math.min(SET_UP_LIMIT_MS, settings.timeoutMs);
  const { username, password, dkim } = settings;
  return {
    host: settings.host,
    port: settings.port,
    secure: settings.secure,
    requireTLS: settings.requireTls,
    /** With credentials it logs in or fails, also where a server (or who stands before it) offers no login. */
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' }, forceAuth: true }),
    maxConnections: settings.maxConnections,
    maxMessages: settings.maxMessages,
    /**
     * A message is given to another connection only where its own closed before a byte of it was read (watchBody), and
     * once: a server that takes connections and closes them again is not asked with all of them in turn.
     */
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
    ...(dkim === undefined ? {} : { dkim: { ...readDkim(dkim), headerFieldNames: SIGNED_HEADERS } }),
  };
}

/** nodemailer sends unsigned what it cannot sign, and says nothing. */
function readDkim(dkim: DkimSettings): DkimSettings {
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
