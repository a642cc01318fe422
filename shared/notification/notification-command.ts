export type Channel = 'sms' | 'email';

/** The topic of a command decides. Urgent messages, such as one-time passwords, never wait behind normal ones (N5). */
export type Priority = 'normal' | 'urgent';
export const PRIORITIES: readonly Priority[] = ['normal', 'urgent'];

export interface Attachment {
  /** File name without a path. */
  readonly name: string;
  readonly content: Buffer;
}

/** Payload of message type SendSmsCommand. */
export interface SmsCommand {
  /** A UUID. Commands of upstream systems may lack it; then a header has the id, or it derives from the position. */
  readonly notificationId: string | undefined;
  /** Undefined for the default sender of the provider (N3). */
  readonly sender: string | undefined;
  /** E.164, such as +40722123456 (N4). */
  readonly receiver: string;
  readonly message: string;
}

/** Payload of message type SendEmailCommand. */
export interface EmailCommand {
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
  | ({ readonly channel: 'email'; readonly id: string } & EmailCommand);
