/** The kinds of notifications (interface 4.8): how callers send each, which topics have its commands, and its texts. */

import type { z } from 'zod';
import type { TopicKey } from '../../messaging/topics/topic-list.ts';
import type { Channel, EmailCommand, SmsCommand } from '../../notification/notification-command.ts';
import examples from './examples.json' with { type: 'json' };
import { emailCommandFields, emailFields, smsCommandFields, smsFields } from './notification-fields.ts';
import { emailReader, smsReader, type NotificationReader } from './read-command.ts';

export interface NotificationDefinition {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly channel: Channel;
  readonly path: string;
  /** The value that header X-Communication-Channel must have. */
  readonly channelNumber: string;
  readonly topic: TopicKey;
  readonly urgentTopic: TopicKey;
  readonly commandType: string;
  readonly bodyShape: z.ZodObject;
  readonly commandShape: z.ZodObject;
  readonly reader: NotificationReader<SmsCommand | EmailCommand>;
  readonly example: Readonly<Record<string, unknown>>;
}

const STORED_FIRST =
  'Returns as soon as the message is stored; its status is available by its id. Messages to one receiver keep their order, urgent and normal ones separately (N3, N5, N6).';

export const NOTIFICATIONS: readonly NotificationDefinition[] = [
  {
    name: 'SendSms',
    summary: 'Sends an SMS',
    description: STORED_FIRST,
    channel: 'sms',
    path: '/api/notifications/v1/sms/send',
    channelNumber: '1',
    topic: 'smsCommands',
    urgentTopic: 'smsUrgentCommands',
    commandType: 'SendSmsCommand',
    bodyShape: smsFields,
    commandShape: smsCommandFields,
    reader: smsReader,
    example: examples.sms,
  },
  {
    name: 'SendEmail',
    summary: 'Sends an e-mail',
    description: STORED_FIRST,
    channel: 'email',
    path: '/api/notifications/v1/email/send',
    channelNumber: '2',
    topic: 'emailCommands',
    urgentTopic: 'emailUrgentCommands',
    commandType: 'SendEmailCommand',
    bodyShape: emailFields,
    commandShape: emailCommandFields,
    reader: emailReader,
    example: examples.email,
  },
];

export const batchPath = (path: string): string => `${path}/batch`;

export const NOTIFICATION_PATH = '/api/notifications/v1/{notificationId}';
