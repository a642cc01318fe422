import {
  emailReader,
  smsReader,
  type NotificationReader,
} from '../../../shared/contract/notification/commands.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topics.ts';
import type { Channel, EmailCommand, Priority, SmsCommand } from '../../../shared/notification/command.ts';

/** How the notifications of a channel are requested and published (interface 4.8). */
export interface ChannelContract {
  readonly channel: Channel;
  /** The value of X-Communication-Channel. */
  readonly number: string;
  /** Record name of its command in schemas/messages.ts. */
  readonly commandType: string;
  /** The topics of its commands, by priority. */
  readonly topics: Readonly<Record<Priority, TopicKey>>;
  readonly reader: NotificationReader<SmsCommand | EmailCommand>;
}

export const CHANNELS: Readonly<Record<Channel, ChannelContract>> = {
  sms: {
    channel: 'sms',
    number: '1',
    commandType: 'SendSmsCommand',
    topics: { normal: 'smsCommands', urgent: 'smsUrgentCommands' },
    reader: smsReader,
  },
  email: {
    channel: 'email',
    number: '2',
    commandType: 'SendEmailCommand',
    topics: { normal: 'emailCommands', urgent: 'emailUrgentCommands' },
    reader: emailReader,
  },
};
