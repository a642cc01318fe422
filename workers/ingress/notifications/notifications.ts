import type { FastifyInstance } from 'fastify';
import { preparePhoneNumbers } from '../../../shared/contract/notification/phone-number.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { AdmissionDeps } from '../server/admission.ts';
import type { IngressOptions } from '../server/http-limits.ts';
import type { Traffic } from '../server/traffic.ts';
import { createAccept } from './accept-notification.ts';
import type { ChannelProfiles } from './channel-profiles.ts';
import { CHANNELS } from './channels.ts';
import {
  ACCEPTANCE_TYPE,
  createNotificationFeed,
  STATE_TYPE,
  type NotificationFeed,
} from './notification-feed.ts';
import { createNotificationKeys } from './notification-ids.ts';
import { registerSending } from './send-route.ts';
import { registerStatus } from './status-route.ts';

export interface NotificationDeps extends AdmissionDeps {
  readonly options: IngressOptions;
  readonly traffic: Traffic;
  readonly broker: Broker;
  /** Publishes notifications; not yet started. */
  readonly notificationPublisher: Publisher;
  readonly channelProfiles: ChannelProfiles;
  /** The secret of the result ids. */
  readonly resultSecret: string;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The notifications of an ingress instance. */
export interface Notifications {
  /** Message types to be registered before requests are accepted. */
  readonly types: readonly string[];
  start(): Promise<void>;
  health(): Readonly<Record<string, Health>>;
  stop(timeoutMs: number): Promise<void>;
}

const READY: Health = { status: 'ready' };

/** Registers the addresses of notifications (interface 4.8) and creates their services. */
export function registerNotifications(app: FastifyInstance, deps: NotificationDeps): Notifications {
  const { broker, notificationPublisher: publisher, channelProfiles, traffic } = deps;
  const feed = createNotificationFeed(broker, {
    ...deps,
    writeAgain: (message) => writeAgain(deps, message),
  });
  const keys = createNotificationKeys(deps.resultSecret);
  const accept = createAccept({ ...deps, ...createFigures(deps.metrics, feed), publisher, keys, feed });
  registerSending(app, { ...deps, accept });
  registerStatus(app, { ...deps, feed });
  return {
    types: [...Object.values(CHANNELS).map(({ commandType }) => commandType), ACCEPTANCE_TYPE, STATE_TYPE],
    start: async () => {
      preparePhoneNumbers();
      await Promise.all([publisher.start(), feed.start()]);
    },
    health: () => {
      const status = traffic.state() === 'starting' ? 'starting' : 'degraded';
      const behind: Health = { status, reason: 'the states of notifications are not up to date' };
      return {
        notifications: feed.isCurrent() ? READY : behind,
        providers: channelProfiles.health(),
      };
    },
    stop: async (timeoutMs) => {
      channelProfiles.close();
      await Promise.all([publisher.stop(timeoutMs), feed.stop(timeoutMs)]);
    },
  };
}

/** Every running instance already has the right one: a failure affects only instances that start later. */
function writeAgain({ notificationPublisher, log }: NotificationDeps, message: OutgoingMessage): void {
  notificationPublisher.publish([message]).catch((error: unknown) => {
    log.error({ reason: errorText(error) }, 'the acceptance that came first could not be written again');
  });
}

function createFigures(metrics: Metrics, feed: NotificationFeed) {
  const requests = metrics.counter(
    'plat_ingress_notifications_total',
    'Notifications by channel and result',
    ['channel', 'outcome'],
  );
  const lost = metrics.counter(
    'plat_ingress_acceptances_lost_total',
    'Accepted notifications whose record could not be written: their callers cannot query them',
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
    count: (channel: string, result: string) => requests.inc({ channel, outcome: result }),
    countLostRecord: () => lost.inc(),
  };
}
