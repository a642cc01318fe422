import type { FastifyInstance } from 'fastify';
import type { AdmissionDeps } from '../server/admission.ts';
import { NOTIFICATION_RETENTION_MS } from '../server/http-limits.ts';
import type { IngressDeps } from '../server/ingress-deps.ts';
import { refuseReading, refuseWriting } from '../server/routes.ts';
import type { TrafficGate } from '../server/traffic-gate.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { preparePhoneNumbers } from '../../../shared/contract/notification/phone-number.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { createAccept } from './accept-notification.ts';
import { createBodyBudget } from './body-budget.ts';
import { CHANNELS } from './channels.ts';
import { ACCEPTANCE_TYPE, createNotificationFeed, STATE_TYPE } from './notification-feed.ts';
import { createNotificationKeys } from './notification-keys.ts';
import { createSendHandler } from './send-route.ts';
import { createStatusHandler } from './status-route.ts';

/** The notifications of an ingress instance: their addresses and what is behind them. */
export interface NotificationPart {
  register(app: FastifyInstance): void;
  /** Message types that have to be known before anything is taken. */
  readonly types: readonly string[];
  start(): Promise<void>;
  health(gate: TrafficGate): Readonly<Record<string, Health>>;
  stop(timeoutMs: number): Promise<void>;
}

const ADDRESS = '/api/notifications/v1';
const READY: Health = { status: 'ready' };

export function createNotificationPart(
  deps: IngressDeps,
  shared: AdmissionDeps & { readonly gate: TrafficGate },
): NotificationPart {
  const { options, clock, log, codec, broker, notificationPublisher: publisher, channelProfiles } = deps;
  const feed = createNotificationFeed(broker, {
    topicPrefix: options.topicPrefix,
    codec,
    now: () => clock.now(),
    acceptanceBytes: options.acceptanceStoreBytes,
    stateBytes: options.notificationStoreBytes,
    retentionMs: NOTIFICATION_RETENTION_MS,
    writeAgain: (message) => writeAgain(deps, message),
  });
  const figures = createFigures(deps, feed);
  const keys = createNotificationKeys(deps.resultSecret);
  const accept = createAccept({ ...options, ...figures, publisher, codec, clock, log, keys, feed });
  const budget = createBodyBudget(options.bodyBudgetBytes);
  const send = {
    ...shared,
    budget,
    profiles: channelProfiles,
    defaultCountry: options.defaultCountry,
    accept,
  };
  return {
    register: (app) => {
      const base = options.basePath + ADDRESS;
      const { bodyLimitBytes, emailBodyLimitBytes } = options;
      app.post(`${base}/sms/send`, createSendHandler({ ...send, bodyLimitBytes }, CHANNELS.sms));
      app.post(
        `${base}/email/send`,
        createSendHandler({ ...send, bodyLimitBytes: emailBodyLimitBytes }, CHANNELS.email),
      );
      app.get(`${base}/:notificationId`, createStatusHandler({ ...shared, feed, log }));
      for (const path of ['/sms/send', '/email/send']) refuseReading(app, base + path);
      refuseWriting(app, `${base}/:notificationId`);
    },
    types: [...Object.values(CHANNELS).map(({ commandType }) => commandType), ACCEPTANCE_TYPE, STATE_TYPE],
    start: async () => {
      preparePhoneNumbers();
      await Promise.all([publisher.start(), feed.start()]);
    },
    health: (gate) => {
      const waiting = gate.state() === 'starting' ? 'starting' : 'degraded';
      return {
        notifications: feed.isCurrent()
          ? READY
          : { status: waiting, reason: 'what became of notifications is not up to date' },
        providers: channelProfiles.health(),
      };
    },
    stop: async (timeoutMs) => {
      channelProfiles.close();
      await Promise.all([publisher.stop(timeoutMs), feed.stop(timeoutMs)]);
    },
  };
}

/** Every instance that runs has the right one already: without this one only those that start later may differ. */
function writeAgain({ notificationPublisher, log }: IngressDeps, message: OutgoingMessage): void {
  notificationPublisher.publish([message]).catch((error: unknown) => {
    log.error({ reason: errorText(error) }, 'the acceptance that came first could not be written again');
  });
}

function createFigures({ metrics }: IngressDeps, feed: ReturnType<typeof createNotificationFeed>) {
  const taken = metrics.counter(
    'plat_ingress_notifications_total',
    'Notifications by channel and by what the caller was told',
    ['channel', 'outcome'],
  );
  const lost = metrics.counter(
    'plat_ingress_acceptances_lost_total',
    'Accepted notifications of which no record could be kept: their callers cannot ask for them',
  );
  const kept = metrics.gauge('plat_ingress_notifications_kept', 'Records of notifications kept', ['record']);
  const bytes = metrics.gauge(
    'plat_ingress_notification_bytes',
    'Bytes of the records of notifications kept',
  );
  metrics.onScrape(() => {
    const size = feed.size();
    kept.set({ record: 'acceptance' }, size.acceptances);
    kept.set({ record: 'state' }, size.states);
    bytes.set(size.bytes);
  });
  return {
    count: (channel: string, outcome: string) => taken.inc({ channel, outcome }),
    onRecordLost: () => lost.inc(),
  };
}
