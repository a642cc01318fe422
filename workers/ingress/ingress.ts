import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE } from '../../schemas/messages.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import type { Broker, Publisher } from '../../shared/messaging/ports.ts';
import type { Requester } from '../../shared/messaging/requester/requester.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { combineHealth } from '../../shared/platform/health.ts';
import type { Health } from '../../shared/platform/health.ts';
import type { Log } from '../../shared/platform/log.ts';
import type { Metrics } from '../../shared/platform/metrics.ts';
import type { CalculationThreads } from '../runtime/thread-pool.ts';
import type { Access } from './access/access.ts';
import { registerActions, type ActionRegistry } from './actions/action-route.ts';
import { createReplyReader } from './actions/reply.ts';
import { createResultIds } from './actions/result-ids.ts';
import { registerResults } from './actions/result-route.ts';
import { createResultStore, type ResultStore } from './actions/result-store.ts';
import { createTopicFeed, type TopicFeed } from './feed/topic-feed.ts';
import type { ChannelProfiles } from './notifications/channel-profiles.ts';
import { registerNotifications, type Notifications } from './notifications/notifications.ts';
import { registerOutbox, type OutboxReader } from './outbox/outbox-pages.ts';
import { createApp } from './server/app.ts';
import { registerDocuments, type Documents } from './server/documents.ts';
import { registerHealth } from './server/health.ts';
import type { IngressOptions } from './server/http-limits.ts';
import { createRateLimiter } from './server/rate-limit.ts';
import { createTraffic, type Traffic } from './server/traffic.ts';

/** The dependencies of an ingress instance. */
export interface IngressDeps {
  readonly options: IngressOptions;
  readonly actions: ActionRegistry;
  readonly documents: Documents;
  readonly access: Access;
  /** Signs the ids of results; the same for all instances. */
  readonly resultSecret: string;
  /** Not yet started. */
  readonly requester: Requester;
  readonly broker: Broker;
  /** Publishes notifications; not yet started. */
  readonly notificationPublisher: Publisher;
  readonly channelProfiles: ChannelProfiles;
  /** The local outbox, if it receives the messages and its page is shown. */
  readonly outbox: OutboxReader | undefined;
  readonly codec: Codec;
  /** Renders large replies; absent: they are rendered on the event loop. */
  readonly threads?: CalculationThreads | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Health of the other workers of this process by name. */
  readonly otherWorkers: () => Readonly<Record<string, Health>>;
}

export interface RunningIngress {
  readonly port: number;
  /** Address with the base path. */
  readonly url: string;
  /** Resolves when actions are accepted; rejects when the messaging parts cannot be started. */
  readonly opened: Promise<void>;
  readonly health: () => Health;
  /** Accepts no new work, waits for pending replies for at most `drainMs`, closes. Idempotent. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** The parts of an instance that are started and stopped. */
interface IngressParts {
  readonly app: FastifyInstance;
  readonly traffic: Traffic;
  readonly resultFeed: TopicFeed;
  readonly notifications: Notifications;
}

const READY: Health = { status: 'ready' };
/** Polling interval for pending responses during a shutdown. */
const DRAIN_POLL_MS = 10;
/**
 * The time for which callers with kept connections are still served: 503 and `Connection: close`. Closing a connection at
 * once resets it whenever a request is on its way, and its caller cannot know that it was not accepted.
 */
const FAREWELL_MS = 500;
/** Leaving the broker may take this long after the last response. */
const LEAVE_TIMEOUT_MS = 2_000;

/**
 * Starts an ingress instance: it listens at once, so that health can be queried, and accepts actions as soon as replies
 * can be received. Rejects when the address cannot be listened on.
 */
export async function startIngress(deps: IngressDeps): Promise<RunningIngress> {
  const { options, broker, clock, metrics } = deps;
  const traffic = createTraffic(metrics);
  const app = createApp(options, traffic, deps.log);
  const results = createResultStore({
    maxBytes: options.resultStoreBytes,
    retentionMs: options.resultRetentionMs,
    now: () => clock.now(),
  });
  const topics = [topicName(options.topicPrefix, 'ingressResults')];
  const resultFeed = createTopicFeed(broker, { clientId: 'ingress-results', topics }, (message) =>
    results.add(message),
  );

  const rateLimiter = createRateLimiter(options.rateLimitPerSecond, clock);
  const resultIds = createResultIds(deps.resultSecret);
  const readReply = createReplyReader(deps.codec, deps.threads);
  const shared = { ...deps, traffic, rateLimiter, resultIds };
  registerActions(app, shared);
  registerResults(app, { ...shared, results, resultFeed, readReply });
  const notifications = registerNotifications(app, shared);
  registerOutbox(app, options.basePath, shared);
  registerDocuments(app, options.basePath, deps.documents);

  const parts = { app, traffic, resultFeed, notifications };
  const health = () => checkParts(deps, parts);
  registerHealth(app, options.basePath, { metrics, health, workers: deps.otherWorkers });
  registerFigures(deps, results);

  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const opened = open(deps, parts);
  // Reported to the caller who awaits `opened`; if there is none, it must not end the process.
  opened.catch(() => undefined);
  let stopped: Promise<void> | undefined;
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${options.basePath}`,
    opened,
    health: () => combineHealth(health()),
    stop: (drainMs) => (stopped ??= stop(deps, parts, drainMs)),
  };
}

async function open(deps: IngressDeps, parts: IngressParts): Promise<void> {
  const actions = [...deps.actions.values()];
  const types = actions.flatMap(({ requestType, replyType }) => [requestType, replyType]);
  await Promise.all([
    deps.codec.prepare([...new Set([PROBLEM_TYPE, ...types, ...parts.notifications.types])]),
    deps.requester.start(),
    parts.resultFeed.start(),
    parts.notifications.start(),
  ]);
  parts.traffic.open();
}

async function stop(deps: IngressDeps, parts: IngressParts, drainMs: number): Promise<void> {
  const { app, traffic } = parts;
  const endsAtMs = performance.now() + drainMs;
  const leftMs = (): number => Math.max(0, endsAtMs - performance.now());
  traffic.close();
  const farewellMs = Math.min(FAREWELL_MS, drainMs);
  while ((await countConnections(app.server)) > 0 && drainMs - leftMs() < farewellMs)
    await sleep(DRAIN_POLL_MS);
  const closed = app.close();
  while (traffic.inFlight() > 0 && leftMs() > 0) await sleep(DRAIN_POLL_MS);
  await deps.requester.stop(leftMs());
  app.server.closeAllConnections();
  await closed;
  await Promise.all([parts.resultFeed.stop(LEAVE_TIMEOUT_MS), parts.notifications.stop(LEAVE_TIMEOUT_MS)]);
}

function checkParts(
  { requester }: IngressDeps,
  { traffic, resultFeed, notifications }: IngressParts,
): Readonly<Record<string, Health>> {
  const state = traffic.state();
  if (state === 'draining') return { traffic: { status: 'unhealthy', reason: 'shutting down' } };
  const status = state === 'starting' ? 'starting' : 'degraded';
  return {
    replies: requester.isReady()
      ? READY
      : { status: 'starting', reason: 'the reply consumer is not assigned' },
    requests: requester.canSend()
      ? READY
      : { status: 'starting', reason: 'requests cannot be sent: the broker cannot be reached' },
    results: resultFeed.isCurrent() ? READY : { status, reason: 'results are not up to date' },
    ...notifications.health(),
  };
}

function registerFigures({ metrics, requester }: IngressDeps, results: ResultStore): void {
  const timedOut = metrics.gauge(
    'plat_ingress_timed_out_replies',
    'Requests whose reply did not come in time',
  );
  const unknown = metrics.gauge(
    'plat_ingress_unknown_replies',
    'Replies without a waiting request: late, repeated, or of another instance on the same partition',
  );
  const pending = metrics.gauge('plat_ingress_pending_replies', 'Requests that wait for a reply');
  const kept = metrics.gauge('plat_ingress_results', 'Results kept for their callers');
  const bytes = metrics.gauge('plat_ingress_result_bytes', 'Bytes of the results kept');
  metrics.onScrape(() => {
    const size = results.size();
    const replies = requester.stats();
    pending.set(replies.pending);
    timedOut.set(replies.timedOut);
    unknown.set(replies.unknownReplies);
    kept.set(size.records);
    bytes.set(size.bytes);
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
