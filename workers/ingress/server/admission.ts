import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNITS_PER_CALL, UNITS_PER_MS } from '../../../shared/contract/actions/request-limits.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topics.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import { SharedLimit } from '../../../shared/platform/queues/shared-limit.ts';
import { callerOf } from './caller.ts';
import { announcedLength, refuse } from './send-answer.ts';

/** What a call waits for: the worker of a request topic, or the broker, which stores notifications. */
export type AdmissionQueue = TopicKey | 'notifications' | 'urgentNotifications';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the call takes of the limits of its queue; undefined until it is admitted. */
    permit: Permit | undefined;
  }
}

/**
 * Refuses calls that could not be answered in time: 503 `overloaded` with Retry-After. Each queue has a limit on the work of the
 * calls in progress. A caller may take more of it while it has less than is left, so that one that floods takes half of it and
 * leaves the rest to others.
 */
export interface Admission {
  /** Hook after those that identify the caller, before its body is read. */
  requirePermit(
    queueOf: (request: FastifyRequest) => AdmissionQueue,
    body: { readonly limitBytes: number; readonly bytesPerUnit: number },
  ): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
  /** Admits the work of a call whose body has been read; false if it was refused. */
  admitWork(request: FastifyRequest, reply: FastifyReply, units: number): boolean;
}

/** What one call takes of the limits of its queue, until its response is written or, if it is held, until it is released. */
export class Permit {
  readonly queue: AdmissionQueue;
  readonly caller: string;
  readonly #taken: { readonly limit: SharedLimit; readonly units: number }[] = [];
  #isHeld = false;

  constructor(queue: AdmissionQueue, caller: string) {
    this.queue = queue;
    this.caller = caller;
  }

  take(limit: SharedLimit, units: number): void {
    limit.take(this.caller, units);
    this.#taken.push({ limit, units });
  }

  /** Keeps the permit after the response or the end of the connection: a worker is still busy with the call. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Idempotent. */
  release(): void {
    for (const { limit, units } of this.#taken.splice(0)) limit.giveBack(this.caller, units);
  }

  onClose(): void {
    if (!this.#isHeld) this.release();
  }
}

/**
 * The work in progress of a queue: 0.4 s of what the event loop does, of which one caller has half, so that another one's call waits
 * 0.2 s at most; and two seconds of what threads do, so that a caller may have two of the dearest requests in progress. An admitted
 * call is then answered long before its deadline.
 */
const MAX_UNITS = { short: 400 * UNITS_PER_MS, long: 2_000 * UNITS_PER_MS };
/** What a call takes besides its calculation: a millisecond, so that at most 400 are in progress in a queue. */
const ARRIVAL_UNITS = UNITS_PER_MS;
/**
 * Bytes of a body that take a unit: one of an action may consist of names and numbers, which take long to read and encode, and that
 * of a notification of texts and files, which take memory.
 */
export const ACTION_BYTES_PER_UNIT = 6;
export const NOTIFICATION_BYTES_PER_UNIT = 200;
/** While the turns of the event loop take longer on average, the process has no time for calls. */
const MAX_LOOP_DELAY_MS = 1_000;
const OVERLOADED = 'Too many requests are waiting; this one was not processed.';

type Reason = 'share' | 'event-loop';

/** The limits of a queue: of the calls that the event loop handles, and of the long calculations of threads. */
interface QueueLimits {
  readonly short: SharedLimit;
  readonly long: SharedLimit;
}

export function createAdmission(app: FastifyInstance, metrics: Metrics): Admission {
  app.decorateRequest('permit', undefined);
  const refused = metrics.counter(
    'plat_ingress_shed_total',
    'Requests refused because they could not be answered in time. Reason event-loop: the process has no time; share: of a caller that had its share of the work in progress',
    ['queue', 'reason'],
  );
  const queues = new Map<AdmissionQueue, QueueLimits>();
  const limitsOf = (queue: AdmissionQueue): QueueLimits => {
    const known = queues.get(queue) ?? { short: new SharedLimit(), long: new SharedLimit() };
    queues.set(queue, known);
    return known;
  };
  const refuseOverloaded = (reply: FastifyReply, queue: AdmissionQueue, reason: Reason): void => {
    refused.inc({ queue, reason });
    refuse(reply, 'overloaded', { detail: OVERLOADED });
  };
  const isLoopLate = (): boolean => {
    // Decorated by listen.ts; infinite while nothing was measured.
    const { eventLoopDelay } = app.hasDecorator('memoryUsage') ? app.memoryUsage() : { eventLoopDelay: 0 };
    return Number.isFinite(eventLoopDelay) && eventLoopDelay > MAX_LOOP_DELAY_MS;
  };
  return {
    requirePermit:
      (queueOf, { limitBytes, bytesPerUnit }) =>
      (request, reply, done) => {
        const queue = queueOf(request);
        const permit = new Permit(queue, callerOf(request));
        const { short } = limitsOf(queue);
        if (isLoopLate()) return refuseOverloaded(reply, queue, 'event-loop');
        if (!short.hasRoom(permit.caller, MAX_UNITS.short)) return refuseOverloaded(reply, queue, 'share');
        const bodyBytes = announcedLength(request.raw) ?? limitBytes;
        permit.take(short, ARRIVAL_UNITS + Math.ceil(bodyBytes / bytesPerUnit));
        request.permit = permit;
        // Unlike the onResponse hook of fastify, this event is emitted when the caller disconnects too.
        reply.raw.on('close', () => permit.onClose());
        if (reply.raw.destroyed) permit.release();
        done();
      },
    admitWork: (request, reply, units) => {
      const { permit } = request;
      if (permit === undefined) throw new Error('the hook requirePermit has not run');
      const { short, long } = limitsOf(permit.queue);
      const [limit, most] = units > UNITS_PER_CALL ? [long, MAX_UNITS.long] : [short, MAX_UNITS.short];
      const hasRoom = limit.hasRoom(permit.caller, most);
      if (hasRoom) permit.take(limit, Math.ceil(units));
      else refuseOverloaded(reply, permit.queue, 'share');
      return hasRoom;
    },
  };
}
