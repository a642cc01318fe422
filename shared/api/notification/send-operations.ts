/** The kinds of notifications (interface 4.8): how callers send each, which topics have its commands, and its texts. */

import type { z } from 'zod';
import type { EmailCommand, SmsCommand } from '../../notification/notification-command.ts';
import examples from './examples.json' with { type: 'json' };
import { emailCommandFields, emailFields, smsCommandFields, smsFields } from './notification-fields.ts';
import { emailReader, smsReader, type NotificationReader } from './read-command.ts';

type Reader = NotificationReader<SmsCommand | EmailCommand>;
export type NotificationDefinition = (typeof NOTIFICATIONS)[number];

const STORED_FIRST =
  'Returns as soon as the message is stored; its status is available by its id. Messages to one receiver keep their order, urgent and normal ones separately (N3, N5, N6).';

export const NOTIFICATIONS = [
  {
    name: 'SendSms',
    summary: 'Sends an SMS',
    description: STORED_FIRST,
    channel: 'sms',
    path: '/api/notifications/v1/sms/send',
    /** The value that header X-Communication-Channel must have. */
    channelNumber: '1',
    topic: 'smsCommands',
    urgentTopic: 'smsUrgentCommands',
    commandType: 'SendSmsCommand',
    bodyShape: smsFields as z.ZodObject,
    commandShape: smsCommandFields as z.ZodObject,
    reader: smsReader as Reader,
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
    bodyShape: emailFields as z.ZodObject,
    commandShape: emailCommandFields as z.ZodObject,
    reader: emailReader as Reader,
    example: examples.email,
  },
] as const;

export const batchPath = (path: string): string => `${path}/batch`;

export const NOTIFICATION_PATH = '/api/notifications/v1/{notificationId}';
