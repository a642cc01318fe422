export type Channel = 'sms' | 'email';

/** The topic of a command decides. Urgent messages, such as one-time passwords, never wait behind normal ones (N5). */
export type Priority = 'normal' | 'urgent';
export const PRIORITIES: readonly Priority[] = ['normal', 'urgent'];

export interface Attachment {
  /** File name without a path. */
  readonly name: string;
  readonly content: Buffer;
}

/** A template of the catalogue with a value for each field that it names. */
export interface TemplateUse {
  readonly name: string;
  /** Undefined for the first language of the template. */
  readonly language: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export const CATEGORIES = ['transactional', 'campaign'] as const;
export type NotificationCategory = (typeof CATEGORIES)[number];

export interface CommandOptions {
  /** Undefined means `transactional`. Campaigns respect unsubscriptions (N8). */
  readonly category?: NotificationCategory | undefined;
  /** Epoch milliseconds before which it is not sent (N11). */
  readonly sendAt?: number | undefined;
  /** If present, the text is made from it, and until then `message` is empty (N9). */
  readonly template?: TemplateUse | undefined;
}

/** Payload of message type SendSmsCommand. */
export interface SmsCommand extends CommandOptions {
  /** A UUID. Commands of upstream systems may lack it; then a header has the id, or it derives from the position. */
  readonly notificationId: string | undefined;
  /** Undefined for the default sender of the provider (N3). */
  readonly sender: string | undefined;
  /** E.164, such as +40722123456 (N4). */
  readonly receiver: string;
  readonly message: string;
}

/** Payload of message type SendEmailCommand. */
export interface EmailCommand extends CommandOptions {
  readonly notificationId: string | undefined;
  readonly sender: string | undefined;
  readonly receiver: string;
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly message: string;
  readonly contentType: 'text/plain' | 'text/html';
  readonly attachments: readonly Attachment[];
}

export type Outbound =
  | ({ readonly channel: 'sms'; readonly id: string } & SmsCommand)
  | ({
      readonly channel: 'email';
      readonly id: string;
      /** The link of a campaign (RFC 8058, N8). */
      readonly unsubscribeUrl?: string | undefined;
    } & EmailCommand);
