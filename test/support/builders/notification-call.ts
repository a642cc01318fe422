import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { expect, onTestFinished } from 'vitest';
import { readTopics } from '../conformance/read-topics.ts';

export const SMS = { message: 'Hello', receiver: '+40722123456' };
export const EMAIL = { message: 'Hello', receiver: 'ana@mail.example', subject: 'News' };
export const ADDRESS = '/api/notifications/v1';
const END_LIMIT_MS = 30_000;

interface Call {
  readonly headers?: Record<string, string>;
  readonly without?: readonly string[];
}

export function send(
  url: string,
  channel: 'sms' | 'email' | 'sms/batch' | 'email/batch',
  body: unknown,
  { headers = {}, without = [] }: Call = {},
): Promise<Response> {
  const all: Record<string, string> = {
    'content-type': 'application/json',
    'x-communication-channel': channel.startsWith('sms') ? '1' : '2',
    'x-sender-id': 'platrealm',
    ...headers,
  };
  for (const name of without) delete all[name];
  return fetch(`${url}${ADDRESS}/${channel.replace(/\/|$/, '/send$&')}`, {
    method: 'POST',
    headers: all,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function idOf(response: Response | Promise<Response>): Promise<string> {
  const answer = await response;
  const body = (await answer.json()) as { notificationId?: string };
  if (answer.status !== 202 || body.notificationId === undefined)
    throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  return body.notificationId;
}

export function statusOf(url: string, id: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}${ADDRESS}/${id}`, { headers });
}

type Answered = Readonly<Record<'status' | 'updatedAt', string>>;

export async function notificationOf(url: string, id: string): Promise<Answered> {
  return (await (await statusOf(url, id)).json()) as Answered;
}

export async function endOf(url: string, id: string, timeout = END_LIMIT_MS) {
  let found: Answered | undefined;
  await expect
    .poll(async () => (found = await notificationOf(url, id)).status, { timeout })
    .toMatch(/^(?:sent|failed|parked)$/);
  return found;
}

export const recordsOf = (broker: Broker, topic: string): Promise<readonly LogMessage[]> =>
  readTopics(broker, [topic]);

export async function commandsOf(broker: Broker, channel: 'sms' | 'email') {
  const codec = await createCodec(loadConfig({}), systemClock);
  const records = await recordsOf(broker, channel === 'sms' ? TOPIC.smsCommands : TOPIC.emailCommands);
  return Promise.all(
    records.map(async (record) => {
      const decoded = await codec.decode(record);
      return {
        key: record.key?.toString(),
        headers: record.headers,
        id: record.headers[HEADER.notificationId]?.toString(),
        payload: decoded.kind === 'decoded' ? decoded.payload : undefined,
      };
    }),
  );
}

export async function writeState(
  broker: Broker,
  state: NotificationState,
  writtenAtMs = Date.now(),
): Promise<void> {
  const codec = await createCodec(loadConfig({}), systemClock);
  const { value, headers } = await codec.encode('NotificationState', state, 'avro');
  const publisher = broker.createPublisher({ clientId: 'test-writer' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const message = { key: state.notificationId, value, headers, timestampMs: writtenAtMs };
  await publisher.publish([{ topic: TOPIC.notificationOutcomes, ...message }]);
}

type Publish = Publisher['publish'];

/** A broker whose publishers publish by another function, which gets their own. */
export function publishingBy(broker: Broker, wrap: (publish: Publish) => Publish): Broker {
  return {
    ...broker,
    createPublisher: (options) => {
      const publisher = broker.createPublisher(options);
      return Object.assign(publisher, { publish: wrap(publisher.publish.bind(publisher)) });
    },
  };
}

export function failing(broker: Broker, fails: (messages: readonly OutgoingMessage[]) => boolean): Broker {
  return publishingBy(
    broker,
    (publish) => (messages) =>
      fails(messages)
        ? Promise.reject(new MessagingError('send-unknown', 'away', { canRetry: true }))
        : publish(messages),
  );
}

export const hasAcceptance = (messages: readonly OutgoingMessage[]) =>
  messages.some(({ topic }) => topic === TOPIC.notificationAcceptances);
