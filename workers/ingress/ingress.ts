import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE } from '../../schemas/messages.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import { type SystemPorts, sleep } from '../../shared/platform/system-ports.ts';
import type { CalculationThreads } from '../runtime/thread-pool.ts';
import { registerActions, type ActionRegistry } from './actions/action-route.ts';
import { createReplyReader } from './actions/send-reply.ts';
import { KeptResults } from './actions/kept-results.ts';
import { createResultIds } from './actions/result-ids.ts';
import { registerResults } from './actions/result-route.ts';
import type { ProviderFacts } from './notifications/channels.ts';
import { registerNotifications, type Notifications } from './notifications/register-notifications.ts';
import type { Suppressions } from '../../shared/suppressions/suppressions.ts';
import { sharedDeadLetterLog } from '../../shared/dead-letters/dead-letter-log.ts';
import { registerDeadLetters } from './operations/dead-letter-routes.ts';
import { registerNotificationSearch } from './operations/notification-routes.ts';
import { registerOutboxMessages, type OutboxReader } from './operations/outbox-routes.ts';
import {
  createOnDemandCatalogue,
  findTemplates,
  registerProducts,
  type OnDemandCatalogue,
} from './operations/product-routes.ts';
import { registerSuppressions } from './operations/suppression-routes.ts';
import { registerSystem, type ShownSystem } from './operations/system/system-routes.ts';
import { createAdmission } from './server/admission.ts';
import { createApp, type Listen } from './server/app.ts';
import type { IngressContext } from './server/context.ts';
import { registerDocuments, type Documents } from './server/documents.ts';
import { registerHealth } from './server/health-routes.ts';
import { createTraffic, type Traffic } from './server/traffic.ts';
import { registerWorkbench } from './workbench/workbench-pages.ts';

export interface IngressDeps extends Omit<IngressContext, 'admission' | 'traffic'>, ProviderFacts {
  readonly listen: Listen;
  readonly documents: () => Promise<Documents>;
  readonly actions: ActionRegistry;
  readonly suppressions: Suppressions;
  /** Undefined if messages do not go to the outbox, or it may not be shown. */
  readonly outbox: OutboxReader | undefined;
  readonly system: ShownSystem;
  readonly threads?: CalculationThreads | undefined;
  /** The health of the other workers of this process, by name. */
  readonly otherWorkers: () => Readonly<Record<string, Health>>;
}

export type RunningIngress = Awaited<ReturnType<typeof startIngress>>;

interface IngressParts {
  readonly app: FastifyInstance;
  readonly traffic: Traffic;
  readonly results: KeptResults;
  readonly notifications: Notifications;
  readonly stopOperations: () => Promise<unknown>;
}

const READY: Health = { status: 'ready' };
const NO_PARTITION: Health = { status: 'starting', reason: 'the reply consumer has no partition yet' };
const CUT_OFF: Health = {
  status: 'starting',
  reason: 'requests cannot be sent: the broker cannot be reached',
};
const DRAIN_POLL_MS = 10;
/** Longest time for which a shutdown still accepts and serves connections, with 503 and `Connection: close`. */
const KEPT_CONNECTIONS_MS = 500;
/** Time limit for accepting the connections that still wait after that: closing the port would reset them. */
const ACCEPT_LIMIT_MS = 2_000;
/** Time limit for writing the responses of requests that were not answered in time. */
const FLUSH_MS = 250;
const CLOSE_TIMEOUT_MS = 2_000;

/** Serves health at once, and actions once `opened` resolves. Rejects if the address cannot be bound. */
export async function startIngress(deps: IngressDeps) {
  const { options, metrics } = deps;
  const traffic = createTraffic(metrics, deps.monotonic);
  const app = createApp(options, { ...deps, traffic });
  const admission = await createAdmission(app, metrics, options.rateLimitPerSecond);
  const results = new KeptResults(deps.broker, deps);
  const resultIds = createResultIds(deps.resultSecret, deps.newId);
  const context = { ...deps, traffic, resultIds, admission };
  registerActions(app, { ...context, onResult: (id, callback) => results.onArrival(id, callback) });
  registerResults(app, { ...context, results, readReply: createReplyReader(deps.codec, deps.threads) });
  const catalogue = createOnDemandCatalogue(context);
  const templates = () => findTemplates({ ...context, catalogue });
  const notifications = registerNotifications(app, { ...context, templates });
  const stopOperations = registerOperations(app, { ...context, catalogue }, notifications);
  registerDocuments(app, deps.documents);
  registerWorkbench(app, context);

  const health = () => checkParts(deps, { traffic, results, notifications });
  const workers = () => ({ ingress: combineHealth(health()), ...deps.otherWorkers() });
  registerSystem(app, { ...context, workers });
  const parts = { app, traffic, results, notifications, stopOperations };
  registerHealth(app, { ...deps, health, workers: deps.otherWorkers });
  registerMetrics(deps, results);

  const port = await deps.listen(app, options);
  const opened = open(deps, parts);
  // If no caller awaits `opened`, an unhandled rejection must not end the process.
  opened.catch(() => undefined);
  let stopped: Promise<void> | undefined;
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    /** Resolves when actions are accepted; rejects when the broker cannot be used. */
    opened,
    health: (): Health => combineHealth(health()),
    /** Refuses new work, waits at most `drainMs` for pending replies, and closes. Idempotent. */
    stop: (drainMs: number): Promise<void> => (stopped ??= stop(deps, parts, drainMs)),
  };
}

type Context = IngressDeps & IngressContext & { readonly catalogue: OnDemandCatalogue };

function registerOperations(app: FastifyInstance, context: Context, { feed, keys }: Notifications) {
  const base = '/api/operations/v1';
  const letters = sharedDeadLetterLog(context.broker);
  registerNotificationSearch(app, base, { ...context, feed, keys });
  registerDeadLetters(app, base, { ...context, letters, proofs: keys.commands });
  registerOutboxMessages(app, base, context);
  registerSuppressions(app, base, context);
  registerProducts(app, base, context);
  return () => Promise.all([letters.close(), context.catalogue.stop()]);
}

async function open(deps: IngressDeps, parts: IngressParts): Promise<void> {
  const actions = [...deps.actions.values()];
  const types = actions.flatMap(({ requestType, replyType }) => [requestType, replyType]);
  await Promise.all([
    deps.codec.prepare([...new Set([PROBLEM_TYPE, ...types, ...parts.notifications.types])]),
    deps.requester.start(),
    parts.results.start(),
    parts.notifications.start(),
  ]);
  parts.traffic.open();
}

async function stop(deps: IngressDeps, parts: IngressParts, drainMs: number): Promise<void> {
  const { app, traffic } = parts;
  const { monotonic } = deps;
  const endsAtMs = monotonic.elapsedMs() + drainMs;
  const leftMs = (): number => Math.max(0, endsAtMs - monotonic.elapsedMs());
  traffic.close();
  await poll(deps, () => hasNoConnections(app), Math.min(KEPT_CONNECTIONS_MS, drainMs));
  await poll(deps, createQuietPort(app), Math.min(ACCEPT_LIMIT_MS, leftMs()));
  // Closes the port and idle connections; the others are closed after their responses.
  const closed = app.close();
  await poll(deps, () => traffic.inFlight() === 0, leftMs());
  await deps.requester.stop(leftMs());
  await poll(deps, () => parts.notifications.unwritten() === 0, leftMs());
  await poll(deps, () => traffic.inFlight() === 0, FLUSH_MS);
  app.server.closeAllConnections();
  await closed;
  await Promise.all([
    parts.results.stop(CLOSE_TIMEOUT_MS),
    parts.notifications.stop(CLOSE_TIMEOUT_MS),
    parts.stopOperations(),
  ]);
}

function hasNoConnections({ server }: FastifyInstance): Promise<boolean> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null && count === 0));
  });
}

/** Creates a check: true if no connection arrived since its last call. Node accepts one per turn of the event loop. */
function createQuietPort({ server }: FastifyInstance): () => boolean {
  let hasArrived = true;
  server.on('connection', () => (hasArrived = true));
  return () => {
    const isQuiet = !hasArrived;
    hasArrived = false;
    return isQuiet;
  };
}

async function poll(
  { monotonic, timers }: Pick<SystemPorts, 'monotonic' | 'timers'>,
  isMet: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<void> {
  const endsAtMs = monotonic.elapsedMs() + limitMs;
  while (!(await isMet()) && monotonic.elapsedMs() < endsAtMs) await sleep(timers, DRAIN_POLL_MS);
}

function checkParts(
  { requester, access }: IngressDeps,
  { traffic, results, notifications }: Pick<IngressParts, 'traffic' | 'results' | 'notifications'>,
): Readonly<Record<string, Health>> {
  const state = traffic.state();
  if (state === 'draining') return { traffic: { status: 'starting', reason: 'shutting down' } };
  const status = state === 'starting' ? 'starting' : 'degraded';
  return {
    replies: requester.isReady() ? READY : NO_PARTITION,
    requests: requester.canSend() ? READY : CUT_OFF,
    results: results.isCurrent() ? READY : { status, reason: 'results are not up to date' },
    ...notifications.health(),
    ...(access.health === undefined ? {} : { access: access.health() }),
    // Listed last, because the reasons of the parts for which the instance waits say more.
    ...(state === 'starting' ? { traffic: { status: 'starting', reason: 'still starting' } } : {}),
  };
}

const REPLY_GAUGES = [
  ['pending', 'plat_ingress_pending_replies'],
  ['timedOut', 'plat_ingress_timed_out_replies'],
  ['refused', 'plat_ingress_refused_requests'],
  ['unknownReplies', 'plat_ingress_unknown_replies'],
] as const;

function registerMetrics({ metrics, requester }: IngressDeps, results: KeptResults): void {
  for (const [figure, name] of REPLY_GAUGES) {
    const gauge = metrics.gauge(name);
    metrics.onScrape(() => gauge.set(requester.stats()[figure]));
  }
  const kept = metrics.gauge('plat_ingress_results');
  metrics.onScrape(() => kept.set(results.size().records));
}
