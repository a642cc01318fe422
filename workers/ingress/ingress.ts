import type { FastifyInstance } from 'fastify';
import type { Health } from '../../shared/platform/health.ts';
import { createApp } from './server/app.ts';
import { registerDocuments } from './server/documents.ts';
import { createForward } from './actions/action-route.ts';
import { registerHealth } from './server/health.ts';
import { createHttpMetrics, type HttpMetrics } from './server/traffic.ts';
import type { IngressDeps } from './server/ingress-deps.ts';
import { createNotificationPart, type NotificationPart } from './notifications/notifications.ts';
import { createOpenAnswers, type OpenAnswers } from './server/open-answers.ts';
import { registerAbsentOutbox, registerOutbox } from './outbox/outbox.ts';
import { createRateLimit } from './server/rate-limit.ts';
import { createRespondLater } from './actions/respond-later.ts';
import { createResultFeed, type ResultFeed } from './actions/result-feed.ts';
import { createResultIds } from './actions/result-ids.ts';
import { registerActions, registerNotFound, registerResults } from './server/routes.ts';
import { createTrafficGate, type TrafficGate } from './server/traffic-gate.ts';

/** One ingress instance, put together and not yet started. */
export interface AssembledIngress {
  readonly app: FastifyInstance;
  readonly gate: TrafficGate;
  readonly figures: HttpMetrics;
  readonly answers: OpenAnswers;
  readonly results: ResultFeed;
  readonly notifications: NotificationPart;
  readonly health: () => Readonly<Record<string, Health>>;
}

/** Wires the parts of an instance to its addresses. */
export function assembleIngress(deps: IngressDeps): AssembledIngress {
  const { options, actions, access, requester, codec, clock, log } = deps;
  const { basePath, topicPrefix } = options;
  const gate = createTrafficGate();
  const figures = createHttpMetrics(deps.metrics);
  const ids = createResultIds(deps.resultSecret);
  const results = createResultFeed(deps.broker, {
    clock,
    topicPrefix,
    retentionMs: options.resultRetentionMs,
    maxBytes: options.resultStoreBytes,
  });
  const rateLimit = createRateLimit(options.rateLimitPerSecond, clock);
  const respondLater = createRespondLater({ ...options, requester, ids, clock });
  const accept = createForward({ ...options, requester, rateLimit, clock, respondLater });
  const notifications = createNotificationPart(deps, { access, rateLimit, gate });
  const health = () => partsHealth(deps, { gate, results, notifications });

  const answers = createOpenAnswers();
  const app = createApp(options, { log, metrics: figures, answers });
  registerActions(app, basePath, { ...options, actions, access, rateLimit, gate, accept });
  registerResults(app, basePath, {
    ...options,
    actions,
    access,
    rateLimit,
    ids,
    codec,
    threads: deps.threads,
    clock,
    store: results.store,
    isCurrent: () => results.isCurrent(),
  });
  notifications.register(app);
  if (deps.outbox === undefined) registerAbsentOutbox(app, basePath);
  else registerOutbox(app, { access, rateLimit, basePath, outbox: deps.outbox });
  registerDocuments(app, basePath, deps.documents);
  registerHealth(app, basePath, { metrics: deps.metrics, health, workers: deps.otherWorkers });
  registerNotFound(app, basePath);
  watchSizes(deps, results);
  return { app, gate, figures, answers, results, notifications, health };
}

function partsHealth(
  { requester }: IngressDeps,
  parts: Pick<AssembledIngress, 'gate' | 'results' | 'notifications'>,
): Readonly<Record<string, Health>> {
  const state = parts.gate.state();
  if (state === 'draining') return { traffic: { status: 'unhealthy', reason: 'shutting down' } };
  const waiting = state === 'starting' ? 'starting' : 'degraded';
  return {
    replies: requester.isReady()
      ? READY
      : { status: 'starting', reason: 'the reply consumer is not assigned' },
    requests: requester.canSend()
      ? READY
      : { status: 'starting', reason: 'requests cannot be sent: the broker cannot be reached' },
    results: parts.results.isCurrent() ? READY : { status: waiting, reason: 'results are not up to date' },
    ...parts.notifications.health(parts.gate),
  };
}

const READY: Health = { status: 'ready' };

function watchSizes({ metrics, requester }: IngressDeps, { store }: ResultFeed): void {
  const timedOut = metrics.gauge(
    'plat_ingress_timed_out_replies',
    'Requests whose reply did not come in time',
  );
  const unknown = metrics.gauge(
    'plat_ingress_unknown_replies',
    'Replies that nobody waited for: late, repeated, or of another instance on the same partition',
  );
  const pending = metrics.gauge('plat_ingress_pending_replies', 'Requests that wait for a reply');
  const kept = metrics.gauge('plat_ingress_results', 'Results kept for their callers');
  const bytes = metrics.gauge('plat_ingress_result_bytes', 'Bytes of the results kept');
  metrics.onScrape(() => {
    const size = store.size();
    const replies = requester.stats();
    pending.set(replies.pending);
    timedOut.set(replies.timedOut);
    unknown.set(replies.unknownReplies);
    kept.set(size.results);
    bytes.set(size.bytes);
  });
}
