import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LONG_WORK_MS } from '../../../shared/contract/actions/request-limits.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/limits.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topics.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import { createAdaptiveLimit, type AdaptiveLimit, type Place } from './adaptive-limit.ts';
import { callerOf } from './caller.ts';
import { refuse } from './send-answer.ts';

/** What a request waits for: the worker of a request topic, or the broker, which stores notifications. */
export type Queue = TopicKey | 'notifications' | 'urgentNotifications';

/** A request whose body has not been read. */
export interface ArrivingRequest {
  readonly caller: string;
  readonly queue: Queue;
  readonly headers: IncomingHttpHeaders;
}

/** A request that is about to be passed on. */
export interface QueuedRequest {
  readonly queue: Queue;
  /** Estimated processor time in milliseconds. */
  readonly processorMs: number;
}

/** Decides which requests are refused because they could not be answered in time (503 `overloaded`). */
export interface LoadShedding {
  /** Whether the queue of a request is not full; otherwise counts it as refused. */
  hasRoom(request: ArrivingRequest): boolean;
  /** Takes a place for a request that waits to be handled, for admit(); false if the queue is full, which is counted. */
  reserve(arriving: ArrivingRequest, request: IncomingMessage): boolean;
  /** Gives such a place back, unless admit() has returned it. */
  giveBack(request: IncomingMessage): void;
  /** Gives such a place back because the request waits for its caller, who is still sending; admit() takes another one. */
  awaitCaller(request: IncomingMessage): void;
  /** Hook: refuses a request while its queue is full, after the hooks that identify its caller. */
  requireRoom(
    queueOf: (request: FastifyRequest) => Queue,
  ): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
  /** Admits a request whose cost is known, until its places are given back; undefined if it was refused. */
  admit(request: FastifyRequest, reply: FastifyReply, queued: QueuedRequest): Place | undefined;
}

/**
 * `short`: a response takes well below a second, even with twice the target because requests arrive faster than they are read.
 * A process with two processors serves the normal places in about 200 ms, so that it does not refuse a burst after its start.
 * The most are 10,000 requests a second, more than one process can serve, for 200 ms each. A request gives its place back
 * after a second and may wait ten for its reply, so that at most 20,000 wait: 200 MB with 10 KiB each.
 * `long`: calculations in threads, and on the event loop in slices. Twice the most places, which the shares of callers may
 * take, are 5 s of estimated time: fewer than wait at a worker, which does not know the callers and would refuse any of them.
 */
const CLASSES = {
  short: { targetMs: 300, holdMs: 1_000, msPerPlace: 0.5, places: { normal: 320, most: 2_000 } },
  long: { targetMs: 500, holdMs: 10_000, msPerPlace: LONG_WORK_MS, places: { normal: 128, most: 128 } },
} as const;
type Class = keyof typeof CLASSES;
export const OVERLOADED = 'Too many requests are waiting; this one was not processed.';

/** The limit of one class of requests of a queue, and the counters of those that it refuses. */
interface Gate {
  readonly limit: AdaptiveLimit;
  readonly labels: { readonly queue: Queue; readonly kind: Class };
  readonly countRefused: Readonly<Record<'share' | 'limit', () => void>>;
}

interface LoadSheddingDeps {
  readonly metrics: Metrics;
  readonly monotonic: MonotonicClock;
}

export function createLoadShedding(deps: LoadSheddingDeps): LoadShedding {
  const gates = new Gates(deps);
  /** The places of requests that wait to be handled. */
  const reserved = new WeakMap<IncomingMessage, { readonly place: Place; readonly usableUntilMs: number }>();
  const { monotonic } = deps;
  const giveBack = (request: IncomingMessage): void => {
    reserved.get(request)?.place.release();
    reserved.delete(request);
  };
  return {
    hasRoom: (arriving) => gates.hasRoom(arriving),
    giveBack,
    awaitCaller: (request) => {
      const { place } = reserved.get(request) ?? {};
      place?.release();
      if (place !== undefined) reserved.set(request, { place, usableUntilMs: Number.NEGATIVE_INFINITY });
    },
    reserve: (arriving, request) => {
      const place = gates.take(arriving, 'short', 1);
      if (place === undefined) return false;
      reserved.set(request, { place, usableUntilMs: monotonic.elapsedMs() + CLASSES.short.targetMs });
      return true;
    },
    requireRoom: (queueOf) => (request, reply, done) => {
      const { headers, raw } = request;
      const isFree = (): boolean =>
        gates.hasRoom({ caller: callerOf(request), queue: queueOf(request), headers });
      if (reserved.has(raw) || isFree()) done();
      else refuse(reply, 'overloaded', { detail: OVERLOADED });
    },
    admit: (request, reply, { queue, processorMs }) => {
      const kind = processorMs > LONG_WORK_MS ? 'long' : 'short';
      const places = Math.max(1, Math.round(processorMs / CLASSES[kind].msPerPlace));
      // After a slow body, its place would count the time of the caller as a queueing delay, or have expired.
      const waiting = reserved.get(request.raw);
      const isUsable = waiting !== undefined && monotonic.elapsedMs() <= waiting.usableUntilMs;
      const held = isUsable && kind === 'short' && places === 1 ? waiting.place : undefined;
      if (held === undefined) giveBack(request.raw);
      else reserved.delete(request.raw);
      const arriving = { caller: callerOf(request), queue, headers: request.headers };
      // It has been admitted, if it was by the right of a repetition, which it keeps.
      if (waiting !== undefined && held === undefined) gates.expectRetry(arriving);
      const place = held ?? gates.take(arriving, kind, places);
      if (place === undefined) refuse(reply, 'overloaded', { detail: OVERLOADED });
      return place;
    },
  };
}

/** A limit for each queue, and within it for short and for long requests, created when it is first used. */
class Gates {
  readonly #gates = { short: new Map<Queue, Gate>(), long: new Map<Queue, Gate>() };
  readonly #countRefused: ReturnType<typeof registerMetrics>;
  readonly #monotonic: MonotonicClock;

  constructor({ metrics, monotonic }: LoadSheddingDeps) {
    this.#monotonic = monotonic;
    const { short, long } = this.#gates;
    this.#countRefused = registerMetrics(metrics, () => [...short.values(), ...long.values()]);
  }

  /** Whether the queue of a request is not full; otherwise counts it as refused. */
  hasRoom(request: ArrivingRequest): boolean {
    const { caller, queue, headers } = request;
    const gate = this.#gateOf(queue, 'short');
    const isFree = gate.limit.hasRoom(caller, retryKeyOf(caller, queue, headers));
    if (!isFree) noteRefused(gate, request);
    return isFree;
  }

  /** Takes places; undefined if the request is refused, which is counted. */
  take(request: ArrivingRequest, kind: Class, places: number): Place | undefined {
    const { caller, queue, headers } = request;
    const gate = this.#gateOf(queue, kind);
    const place = gate.limit.take(caller, places, retryKeyOf(caller, queue, headers));
    if (place === undefined) noteRefused(gate, request);
    return place;
  }

  /** Lets a repetition of the request take places beyond the limit. */
  expectRetry({ caller, queue, headers }: ArrivingRequest): void {
    const retryKey = retryKeyOf(caller, queue, headers);
    if (retryKey !== undefined) this.#gateOf(queue, 'short').limit.expectRetry(retryKey);
  }

  #gateOf(queue: Queue, kind: Class): Gate {
    const known = this.#gates[kind].get(queue);
    if (known !== undefined) return known;
    const labels = { queue, kind };
    const limit = createAdaptiveLimit({ ...CLASSES[kind], monotonic: this.#monotonic });
    const gate = { limit, labels, countRefused: this.#countRefused(labels) };
    this.#gates[kind].set(queue, gate);
    return gate;
  }
}

function noteRefused(
  { limit, countRefused: count }: Gate,
  { caller, queue, headers }: ArrivingRequest,
): void {
  const retryKey = retryKeyOf(caller, queue, headers);
  if (retryKey !== undefined) limit.expectRetry(retryKey);
  count[limit.hasShare(caller) ? 'share' : 'limit']();
}

function registerMetrics(metrics: Metrics, gates: () => readonly Gate[]) {
  const names = ['queue', 'kind'];
  const limits = metrics.gauge(
    'plat_ingress_places_limit',
    'Adaptive limit of the requests in progress, in places',
    names,
  );
  const taken = metrics.gauge('plat_ingress_places_taken', 'Places of the requests in progress', names);
  const refused = metrics.counter(
    'plat_ingress_shed_total',
    'Requests refused because they could not be answered in time. Reason share: of a caller that had its share of the places; limit: of others',
    [...names, 'reason'],
  );
  metrics.onScrape(() => {
    for (const { labels, limit } of gates()) {
      const size = limit.size();
      limits.set(labels, size.limit);
      taken.set(labels, size.taken);
    }
  });
  return (labels: Gate['labels']): Gate['countRefused'] => {
    const counters = {
      share: refused.labels({ ...labels, reason: 'share' }),
      limit: refused.labels({ ...labels, reason: 'limit' }),
    };
    return { share: () => counters.share.inc(), limit: () => counters.limit.inc() };
  };
}

/** The repetition of a notification has the same Idempotency-Key; other requests have none. Too long keys are refused later. */
function retryKeyOf(caller: string, queue: Queue, headers: IncomingHttpHeaders): string | undefined {
  const hasKey = queue === 'notifications' || queue === 'urgentNotifications';
  const key = hasKey ? headers['idempotency-key'] : undefined;
  const isUsable = key !== undefined && key.length <= NOTIFICATION_LIMITS.idempotencyKeyCharacters;
  return isUsable ? `${caller} ${String(key)}` : undefined;
}
