import type { FastifyInstance } from 'fastify';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { combineHealth, type Health } from '../../../shared/platform/health.ts';
import { createAccept } from './accept-notification.ts';
import { AcceptanceRecords } from './acceptance-records.ts';
import { NOTIFICATIONS } from '../../../shared/api/notification/send-operations.ts';
import { VERIFICATIONS } from '../../../shared/api/notification/verification-operations.ts';
import { registerSending, type NotificationContext } from './send-route.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import { ACCEPTANCE_TYPE, createNotificationFeed } from './notification-feed.ts';
import { createNotificationKeys } from './notification-keys.ts';
import { registerReceipts } from './receipt-route.ts';
import { registerUnsubscribe } from './unsubscribe-route.ts';
import { registerVerifications } from './verification-routes.ts';
import { registerStatus } from './status-route.ts';

export type Notifications = ReturnType<typeof registerNotifications>;

const READY: Health = { status: 'ready' };
const CUT_OFF: Health = {
  status: 'starting',
  reason: 'notifications cannot be sent: the broker cannot be reached',
};

/** Registers the routes of notifications (interface 4.8) and creates their services. */
export function registerNotifications(app: FastifyInstance, deps: NotificationContext) {
  const { broker, notificationPublisher: publisher, traffic, quotas, suppressions, metrics } = deps;
  // A failure affects only instances that start later: running ones have read the first acceptance of an id.
  const restoreFirst = (message: OutgoingMessage): void =>
    void publisher.publish([message]).catch((error: unknown) => {
      deps.log.error({ reason: errorText(error) }, 'a first acceptance could not be published again');
    });
  const feed = createNotificationFeed(broker, { ...deps, restoreFirst });
  const kept = metrics.gauge('plat_ingress_notifications_kept');
  metrics.onScrape(() => kept.set(feed.size().records));
  const keys = createNotificationKeys(deps.resultSecret, deps.newId);
  const lost = metrics.counter('plat_ingress_acceptances_lost_total');
  const requests = metrics.counter('plat_ingress_notifications_total');
  const count = (channel: string, outcome: string) => requests.inc({ channel, outcome });
  const acceptances = new AcceptanceRecords({ ...deps, publisher, feed, countLost: () => lost.inc() });
  const accept = createAccept({ ...deps, count, acceptances, publisher, keys, feed });
  registerSending(app, { ...deps, accept });
  registerStatus(app, { ...deps, feed, publisher });
  registerReceipts(app, { ...deps, feed });
  registerUnsubscribe(app, deps);
  registerVerifications(app, { ...deps, keys });
  return {
    feed,
    keys,
    /** The types whose schemas must be registered before requests are accepted. */
    types: [
      ...NOTIFICATIONS.map(({ commandType }) => commandType),
      ...VERIFICATIONS.map(({ requestType }) => requestType),
      ACCEPTANCE_TYPE,
      STATE_TYPE,
    ],
    start: async () => {
      await Promise.all([publisher.start(), feed.start(), suppressions.start(), quotas?.start()]);
    },
    health: () => {
      const status = traffic.state() === 'starting' ? 'starting' : 'degraded';
      const behind: Health = { status, reason: 'the states of notifications are not up to date' };
      return {
        notifications: combineHealth({
          publisher: publisher.isHealthy() ? READY : CUT_OFF,
          index: feed.health(),
          acceptances: acceptances.health(),
          feed: feed.isCurrent() ? READY : behind,
          suppressions: suppressions.health(),
        }),
        ...(quotas === undefined ? {} : { quotas: quotas.health() }),
      };
    },
    unwritten: () => acceptances.unwritten(),
    stop: async (timeoutMs: number) => {
      acceptances.stop();
      const readers = [feed, suppressions, quotas].map(async (part) => part?.stop(timeoutMs));
      await Promise.all([publisher.stop(timeoutMs), ...readers]);
    },
  };
}
