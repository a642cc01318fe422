/**
 * What each kind of provider is told: plain data, already validated (the configuration file is read elsewhere). Times in
 * milliseconds. Passwords and keys in it are never logged.
 */

/** A mail server that takes messages by SMTP (`provider: SMTP`). */
export interface SmtpSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (port 465); false: plain, then STARTTLS where the server offers it. */
  readonly secure: boolean;
  /** Never sends without TLS: a server that offers none, or whose STARTTLS fails, gets nothing. */
  readonly requireTls: boolean;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Connections side by side. */
  readonly maxConnections: number;
  /** Messages on one connection before it is replaced. */
  readonly maxMessages: number;
  /** From asking for a connection to the answer. */
  readonly timeoutMs: number;
  readonly dkim?: DkimSettings | undefined;
  readonly listUnsubscribe?: ListUnsubscribeSettings | undefined;
  readonly tls?: TlsSettings | undefined;
  /** Address of the sender for messages that name none (N3). */
  readonly defaultSender?: string | undefined;
}

/** Key to sign messages with; its public half stands in DNS at `<keySelector>._domainkey.<domainName>`. */
export interface DkimSettings {
  readonly domainName: string;
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** One-click unsubscription (RFC 8058). */
export interface ListUnsubscribeSettings {
  /** https address that takes a POST; `{id}` stands for the notification id. */
  readonly url: string;
  /** Address for clients that unsubscribe by mail. */
  readonly mailto?: string | undefined;
}

export interface TlsSettings {
  /** PEM of the authority to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  /** False accepts any certificate; true if absent. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** SMS by Twilio's own client (`provider: twilio`). */
export interface TwilioSettings {
  readonly name: string;
  readonly accountSid: string;
  /** The account sid with its token, or an API key with its secret. */
  readonly username: string;
  readonly password: string;
  /** Only for another address than Twilio's own. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
  readonly defaultSender?: string | undefined;
}

/** The local folder that takes messages where no provider is configured. Nothing leaves the machine. */
export interface OutboxSettings {
  readonly name: string;
  readonly channel: 'sms' | 'email';
  readonly folder: string;
  readonly defaultSender?: string | undefined;
}
