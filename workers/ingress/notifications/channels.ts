import {
  emailReader,
  smsReader,
  type NotificationReader,
} from '../../../shared/contract/notification/commands.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topics.ts';
import type { Channel, EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';

/** How the notifications of a channel are requested and published (interface 4.8). */
export interface ChannelContract {
  readonly channel: Channel;
  /** The value of X-Communication-Channel. */
  readonly number: string;
  /** Record name of its command in schemas/messages.ts. */
  readonly commandType: string;
  readonly topic: TopicKey;
  readonly reader: NotificationReader<SmsCommand | EmailCommand>;
}

export const CHANNELS: Readonly<Record<Channel, ChannelContract>> = {
  sms: {
    channel: 'sms',
    number: '1',
    commandType: 'SendSmsCommand',
    topic: 'smsCommands',
    reader: smsReader,
  },
  email: {
    channel: 'email',
    number: '2',
    commandType: 'SendEmailCommand',
    topic: 'emailCommands',
    reader: emailReader,
  },
};
