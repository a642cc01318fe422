/** The two kinds of notifications that are measured, each with its stand-in and with the client alone. */

import type { TopicKey } from '../../../shared/messaging/topics/topics.ts';
import { sampleMail, SENDER } from './sample-mail.ts';
import { PAYLOAD_TEMPLATE, PROVIDER_PATH, sampleSms } from './sample-sms.ts';

export interface Traffic {
  /** What is sent, for tables. */
  readonly unit: string;
  /** The client alone, for tables. */
  readonly client: string;
  /** Child processes: the stand-in of the provider, and the client alone. */
  readonly sinkProgram: string;
  readonly clientProgram: string;
  /** Connections of the client alone, as many as the worker uses for normal notifications. */
  readonly connections: number;
  readonly topic: TopicKey;
  readonly commandType: string;
  readonly sample: (index: number) => { readonly receiver: string };
  /** The entry of the provider configuration for a stand-in on this port. */
  readonly provider: (port: number) => object;
}

/** Connections to the provider. */
const CONNECTIONS = 10;
/** One SMTP connection is reserved for urgent e-mails. */
const RESERVED = 1;
const FOLDER = 'scripts/bench/notification';
const NO_CREDENTIALS = { username: '', password: '', key: '' };

export const TRAFFIC = {
  mail: {
    unit: 'e-mails',
    client: 'nodemailer alone, pooled',
    sinkProgram: `${FOLDER}/mail-sink.ts`,
    clientProgram: `${FOLDER}/raw-mailer.ts`,
    connections: CONNECTIONS - RESERVED,
    topic: 'emailCommands',
    commandType: 'SendEmailCommand',
    sample: sampleMail,
    provider: (port) => ({
      url: `smtp://127.0.0.1:${port}`,
      provider: 'SMTP',
      'payload-template': '',
      'communication-channel': 'email',
      defaultSender: `${SENDER.name} <${SENDER.address}>`,
      authentication: NO_CREDENTIALS,
      smtp: { maxConnections: CONNECTIONS },
    }),
  },
  http: {
    unit: 'SMS by HTTP',
    client: 'undici alone, pooled',
    sinkProgram: `${FOLDER}/http-sink.ts`,
    clientProgram: `${FOLDER}/raw-http.ts`,
    connections: CONNECTIONS,
    topic: 'smsCommands',
    commandType: 'SendSmsCommand',
    sample: sampleSms,
    provider: (port) => ({
      url: `http://127.0.0.1:${port}${PROVIDER_PATH}`,
      provider: 'stand-in',
      'payload-template': PAYLOAD_TEMPLATE,
      'communication-channel': 'sms',
      authentication: NO_CREDENTIALS,
      connector: { connections: CONNECTIONS },
    }),
  },
} as const satisfies Record<string, Traffic>;

export type TrafficName = keyof typeof TRAFFIC;

/** The provider configuration for a stand-in on this port. */
export function configuration(traffic: Traffic, port: number): string {
  const providers = { realmId: 'platrealm', 'provider-configurations': [traffic.provider(port)] };
  return JSON.stringify({ notificationConfigurations: [providers] });
}
