import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { NotificationTimeline } from '../../../shared/api/operations/notification-lists.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../../workers/notification/main.ts';
import { authorize, JWT_SECRET } from '../builders/access-token.ts';
import { send } from '../builders/notification-call.ts';
import { configurationText } from '../builders/provider-entry.ts';
import { KEYS } from '../builders/provider-receipts.ts';
import { startProviderStandIn } from '../fakes/provider-stand-in.ts';
import { scratchFolder } from '../scratch-folder.ts';
import { startOn } from './ingress-system.ts';

export const PUBLIC_URL = 'https://bank.example/engine';
export const SECRET = 'a secret of sixteen characters';
const TIERS_MS = [10_000, 60_000, 600_000, 3_600_000];

/** Both workers, SMS by Twilio and e-mail by SendGrid, which a stand-in imitates. */
export async function reportingSystem(
  over: {
    readonly ingressBroker?: (broker: Broker) => Broker;
    readonly publicUrl?: '';
    readonly env?: Record<string, string>;
  } = {},
) {
  const standIn = await startProviderStandIn();
  onTestFinished(() => standIn.stop());
  const folder = scratchFolder();
  const file = path.join(folder, 'providers.json');
  const sid = `AC${'0'.repeat(32)}`;
  const twilio = {
    provider: 'twilio',
    url: standIn.origin,
    'communication-channel': 'sms',
    defaultSender: '+15005550006',
    authentication: { username: sid, password: 'token' },
    receipts: { kind: 'twilio', key: KEYS.twilio },
  };
  const sendgrid = {
    provider: 'sendgrid',
    url: `${standIn.origin}/mail`,
    'communication-channel': 'email',
    defaultSender: 'bank@bank.example',
    'payload-template': {
      to: 'RECEIVER_PLACEHOLDER',
      from: 'SENDER_PLACEHOLDER',
      subject: 'SUBJECT_PLACEHOLDER',
      text: 'TEXT_PLACEHOLDER',
      notification_id: 'ID_PLACEHOLDER',
      headers: {
        'List-Unsubscribe': 'LIST_UNSUBSCRIBE_PLACEHOLDER',
        'List-Unsubscribe-Post': 'LIST_UNSUBSCRIBE_POST_PLACEHOLDER',
      },
    },
    receipts: { kind: 'sendgrid', key: KEYS.sendgrid },
  };
  const isPrivate = over.publicUrl === '';
  writeFileSync(file, isPrivate ? configurationText(sendgrid) : configurationText(twilio, sendgrid));
  standIn.otherwise(({ path: to }) =>
    to === '/mail'
      ? { status: 202, headers: { 'x-message-id': 'abc' } }
      : { status: 201, body: { sid: 'SM12', status: 'queued' } },
  );
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(allTopicSpecs('', TIERS_MS));
  const env = {
    DATA_DIR: folder,
    NOTIFICATION_CONFIG_FILE: file,
    PUBLIC_URL: over.publicUrl ?? PUBLIC_URL,
    RESULT_ID_SECRET: SECRET,
    AUTH_JWT_SECRET: JWT_SECRET,
    ...over.env,
  };
  await startOn(broker, startNotificationWorker, env);
  const ingress = await startOn(over.ingressBroker?.(broker) ?? broker, startIngressWorker, env);
  const headers = await authorize('ana', 'operations:read operations:write');
  const get = async (address: string): Promise<unknown> =>
    (await fetch(ingress.url + address, { headers })).json();
  return {
    standIn,
    url: ingress.url,
    receipts: `${ingress.url}/api/notifications/v1/receipts`,
    broker,
    send: (channel: 'sms' | 'email', body: object) => send(ingress.url, channel, body, { headers }),
    operate: async (address: string, body?: object) => {
      const init =
        body === undefined
          ? { headers }
          : {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(body),
            };
      const answer = await fetch(`${ingress.url}/api/operations/v1${address}`, init);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    shown: async (id: string) => (await get(`/api/notifications/v1/${id}`)) as Record<string, unknown>,
    timeline: async (id: string) =>
      (await get(`/api/operations/v1/notifications/${id}`)) as NotificationTimeline,
  };
}
