import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callsOf, needsThread, UNITS_PER_MS } from '../../../shared/lending/work-units.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import { FairShare } from '../../../shared/platform/fair-share.ts';
import { announcedLength, refuse } from './send-answer.ts';

/** What a call waits for: the worker of a request topic, or the broker, which stores notifications and receipts. */
export type AdmissionQueue = TopicKey | 'notifications' | 'urgentNotifications' | 'receipts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The subject or address of the caller; empty until the request is counted. */
    caller: string;
    permit: Permit | undefined;
    /** The cost of the body in ordinary calls; 0 until it has been read. */
    bodyCost: number;
  }
}

export type Admission = Awaited<ReturnType<typeof createAdmission>>;

/** What one call takes from its queue until its response is written or, after hold(), until release(). */
export class Permit {
  readonly queue: AdmissionQueue;
  readonly #caller: string;
  readonly #taken: { readonly limit: FairShare; readonly units: number }[] = [];
  #isHeld = false;

  constructor(queue: AdmissionQueue, caller: string) {
    this.queue = queue;
    this.#caller = caller;
  }

  /** False if the limit has no room for the caller. */
  take(limit: FairShare, most: number, units: number): boolean {
    if (!limit.hasRoom(this.#caller, most)) return false;
    limit.take(this.#caller, units);
    this.#taken.push({ limit, units });
    return true;
  }

  /** Keeps the permit after the response or the end of the connection: a worker may still be busy with the call. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    for (const { limit, units } of this.#taken.splice(0)) limit.giveBack(this.#caller, units);
  }

  onClose(): void {
    if (!this.#isHeld) this.release();
  }
}

/**
 * `short`: 0.4 s of the event loop. A single caller gets half of it, so that a call of another waits about 0.2 s at
 * most. `long`: two seconds of threads, so that a caller may have two of the most expensive requests in progress.
 */
const MAX_UNITS = { short: 400 * UNITS_PER_MS, long: 2_000 * UNITS_PER_MS };
/** The least that a call takes, so that at most 400 are in progress in a queue. */
const ARRIVAL_UNITS = UNITS_PER_MS;
/** Bytes of the body of an action that cost a unit: names and numbers take long to read and encode. */
export const ACTION_BYTES_PER_UNIT = 6;
/** Bytes of the body of a notification that cost a unit: texts and files take mainly memory. */
export const NOTIFICATION_BYTES_PER_UNIT = 200;
/** While turns of the event loop take longer on average, the process has no time for calls. */
const MAX_LOOP_DELAY_MS = 1_000;
const OVERLOADED = 'Too many requests are waiting; this one was not processed.';

/** Whom a request is charged to: the subject of a verified token, otherwise the address. */
export function callerOf(request: FastifyRequest): string {
  return request.caller === '' ? addressOf(request) : request.caller;
}

export function addressOf(request: FastifyRequest): string {
  return `address ${request.ip}`;
}

/**
 * Refuses calls beyond `perSecond` of a caller in this instance (429, E6; 0: no limit), and calls that could not be
 * answered in time (503 `overloaded`). Costs are in ordinary calls. Callers of a queue share its limit (FairShare).
 */
export async function createAdmission(app: FastifyInstance, metrics: Metrics, perSecond: number) {
  app.decorateRequest('caller', '').decorateRequest('permit', undefined).decorateRequest('bodyCost', 0);
  const allowance = await createAllowance(perSecond);
  const refused = metrics.counter('plat_ingress_shed_total');
  const limits = {
    short: new Map<AdmissionQueue, FairShare>(),
    long: new Map<AdmissionQueue, FairShare>(),
  };
  const take = (permit: Permit, kind: 'short' | 'long', units: number): boolean => {
    let limit = limits[kind].get(permit.queue);
    if (limit === undefined) limits[kind].set(permit.queue, (limit = new FairShare()));
    return permit.take(limit, MAX_UNITS[kind], units);
  };
  const refuseOverloaded = (reply: FastifyReply, queue: AdmissionQueue, reason: 'share' | 'event-loop') => {
    refused.inc({ queue, reason });
    refuse(reply, 'overloaded', { detail: OVERLOADED });
  };
  return {
    /** Resolves with false after it refused the request: the allowance of this second is used up. */
    countRequest: (request: FastifyRequest, reply: FastifyReply) => allowance.take(request, reply, 1),
    /** Undoes countRequest: reports of providers are not limited, only attempts to forge one. */
    giveBack: (request: FastifyRequest): void => allowance.giveBack(callerOf(request)),
    /** Charges work already done, in ordinary calls. What exceeds the allowance is paid off in the next seconds. */
    spend: (request: FastifyRequest, calls: number): void => {
      if (calls > 0) allowance.spend(callerOf(request), calls);
    },
    /** Hook that runs after the caller is identified, and before the body is read. */
    requirePermit:
      (
        queueOf: (request: FastifyRequest) => AdmissionQueue,
        { limitBytes, bytesPerUnit }: { readonly limitBytes: number; readonly bytesPerUnit: number },
      ) =>
      (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
        const queue = queueOf(request);
        if (isLoopLate(app)) return refuseOverloaded(reply, queue, 'event-loop');
        const permit = new Permit(queue, callerOf(request));
        const bodyBytes = announcedLength(request.raw) ?? limitBytes;
        const units = ARRIVAL_UNITS + Math.ceil(bodyBytes / bytesPerUnit);
        if (!take(permit, 'short', units)) return refuseOverloaded(reply, queue, 'share');
        request.permit = permit;
        // Unlike the onResponse hook of fastify, this event is emitted when the caller disconnects too.
        reply.raw.on('close', () => permit.onClose());
        if (reply.raw.destroyed) permit.release();
        done();
      },
    /** Charges the work of a call to its caller. Resolves with undefined if refused, or if the caller disconnected. */
    admitWork: async (request: FastifyRequest, reply: FastifyReply, units: number) => {
      const { permit, bodyCost } = request;
      if (permit === undefined) throw new Error('the hook requirePermit has not run');
      if (reply.raw.destroyed) return undefined;
      if (!take(permit, needsThread(units) ? 'long' : 'short', Math.ceil(units))) {
        refuseOverloaded(reply, permit.queue, 'share');
        return undefined;
      }
      // The most expensive request takes the allowance of one second, and some of it has been taken already.
      const further = Math.min(callsOf(units), perSecond) - 1 - bodyCost;
      if (further > 0 && !(await allowance.take(request, reply, further))) return undefined;
      return reply.raw.destroyed ? undefined : permit;
    },
  };
}

/** The delay is measured by the plug-in of `listenOnSockets`; it is infinite at first. */
function isLoopLate(app: FastifyInstance): boolean {
  const { eventLoopDelay } = app.hasDecorator('memoryUsage') ? app.memoryUsage() : { eventLoopDelay: 0 };
  return Number.isFinite(eventLoopDelay) && eventLoopDelay > MAX_LOOP_DELAY_MS;
}

/** `take` resolves with false after it has responded. */
async function createAllowance(perSecond: number) {
  if (perSecond === 0) return { take: async () => true, spend: () => undefined, giveBack: () => undefined };
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  const spend = async (caller: string, calls: number): Promise<void> => {
    const { consumedPoints } = await limiter.penalty(caller, calls);
    if (consumedPoints <= perSecond) return;
    await limiter.set(caller, consumedPoints, Math.ceil(consumedPoints / perSecond));
  };
  return {
    take: async (request: FastifyRequest, reply: FastifyReply, calls: number): Promise<boolean> => {
      try {
        await limiter.consume(callerOf(request), calls);
        return true;
      } catch (refused) {
        const { msBeforeNext } = refused as { readonly msBeforeNext: number };
        const waitSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
        reply.header('retry-after', waitSeconds);
        refuse(reply, 'rate-limited', { detail: `Send fewer requests; try again in ${waitSeconds} s.` });
        return false;
      }
    },
    spend: (caller: string, calls: number) => void spend(caller, calls),
    giveBack: (caller: string) => void limiter.reward(caller),
  };
}
