import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SelfSigned } from '../self-signed-certificate.ts';

/** Accepts, also after a delay, replies with code and text, drops the connection, or never replies. */
export type SinkReply =
  | 'take'
  | 'drop'
  | 'silent'
  | { readonly reply: number; readonly text: string }
  | { readonly afterMs: number };

/** Replies by phase; other phases accept. `data` is called after the final dot, `dataBytes` at the first byte. */
export interface SinkScript {
  readonly greeting?: () => SinkReply;
  readonly auth?: (username: string, password: string) => SinkReply;
  readonly mailFrom?: (address: string) => SinkReply;
  readonly rcptTo?: (address: string) => SinkReply;
  readonly dataBytes?: () => SinkReply;
  readonly data?: (message: ReceivedMail) => SinkReply;
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  readonly messageId: string;
  readonly isTls: boolean;
  readonly user: string | undefined;
}

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;

export interface SinkOptions {
  readonly script?: SinkScript;
  /** TLS from the first byte. */
  readonly secure?: boolean;
  /** Without a certificate it does not offer STARTTLS. */
  readonly certificate?: SelfSigned;
  /** Further options of smtp-server: hideSTARTTLS, hidePIPELINING, size … */
  readonly server?: SMTPServerOptions;
}

export async function startSmtpSink(options: SinkOptions = {}) {
  let script = options.script ?? {};
  let opened = 0;
  const mails: ReceivedMail[] = [];
  const bodies: ReceivedMail[] = [];
  const counts = new Map<string, number>();
  const server = new SMTPServer({
    secure: options.secure ?? false,
    ...(options.certificate ?? { disabledCommands: ['STARTTLS'] }),
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: true,
    closeTimeout: 10,
    ...options.server,
    onConnect: (session, callback) => {
      opened += 1;
      act(script.greeting?.(), session.id, callback);
    },
    onAuth: (auth, session, callback) => {
      const { username, password } = auth;
      act(script.auth?.(username ?? '', password ?? ''), session.id, (error) =>
        error === undefined ? callback(null, { user: username ?? '' }) : callback(error),
      );
    },
    onMailFrom: (address, session, callback) => act(script.mailFrom?.(address.address), session.id, callback),
    onRcptTo: (address, session, callback) => act(script.rcptTo?.(address.address), session.id, callback),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.once('data', () => act(script.dataBytes?.(), session.id, () => undefined));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => {
        const raw = Buffer.concat(chunks);
        const mail: ReceivedMail = {
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map((address) => address.address),
          raw,
          messageId: /^message-id:\s*<([^>]*)>/im.exec(raw.subarray(0, 8_192).toString('latin1'))?.[1] ?? '',
          isTls: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        };
        bodies.push(mail);
        act(script.data?.(mail), session.id, (error) => {
          if (error === undefined) {
            mails.push(mail);
            counts.set(mail.messageId, (counts.get(mail.messageId) ?? 0) + 1);
          }
          callback(error ?? null, 'taken');
        });
      });
    },
  });
  server.on('error', () => undefined);

  /** smtp-server does not expose its sockets, so they are read from its internal property. */
  const sockets = (): { id: string; socket: Socket }[] =>
    [...server.connections].map((connection) => {
      const { id, ['_socket']: socket } = connection as unknown as { id: string; _socket: Socket };
      return { id, socket };
    });
  const drop = (sessionId: string): void => {
    for (const { id, socket } of sockets()) if (id === sessionId) socket.destroy();
  };
  const act = (
    reply: SinkReply | undefined,
    sessionId: string,
    done: (error?: Error & { responseCode?: number }) => void,
  ): void => {
    if (reply === undefined || reply === 'take') return done();
    if (reply === 'silent') return;
    if (reply === 'drop') return drop(sessionId);
    if ('afterMs' in reply) return void setTimeout(() => done(), reply.afterMs);
    done(Object.assign(new Error(reply.text), { responseCode: reply.reply }));
  };

  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    mails: mails as readonly ReceivedMail[],
    bodies: bodies as readonly ReceivedMail[],
    /** Number of accepted messages by Message-ID. */
    countOf: (messageId: string) => counts.get(messageId) ?? 0,
    connections: () => server.connections.size,
    opened: () => opened,
    follow: (next: SinkScript): void => {
      script = next;
    },
    dropAll: (): void => {
      for (const { socket } of sockets()) socket.destroy();
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
