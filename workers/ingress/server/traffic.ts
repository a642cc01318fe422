import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import { refuse } from './send-answer.ts';

/** Status of requests whose caller disconnected, in the figures only. */
const ABANDONED = 499;
const MILLIS_PER_SECOND = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Label `action` of the request figures: an action's own name, or the kind of address. Never made up by callers. */
    figures: string;
    /** Called when the caller disconnected before it was answered. */
    abandoned: (() => void) | undefined;
  }
}

/** Whether an instance takes work, the requests that it has in flight, and their figures. */
export interface Traffic {
  /** `starting`: replies cannot be received yet; `draining`: the instance is about to stop. */
  state(): 'starting' | 'open' | 'draining';
  open(): void;
  /** Takes no new work, and marks the responses in flight as the last on their connections. */
  close(): void;
  inFlight(): number;
  /** Counts a request from now until its response is sent or its caller disconnected. */
  observe(request: FastifyRequest, reply: FastifyReply): void;
}

/** Counts requests in flight and their duration by action and status. */
export function createTraffic(metrics: Metrics): Traffic {
  let state: 'starting' | 'open' | 'draining' = 'starting';
  const inFlight = new Set<ServerResponse>();
  const duration = metrics.duration(
    'plat_http_request_duration_seconds',
    'HTTP requests by action and status',
    ['action', 'status'],
  );
  const gauge = metrics.gauge('plat_http_requests_in_flight', 'HTTP requests that wait for their answer');
  metrics.onScrape(() => gauge.set(inFlight.size));
  const observers = new Map<string, { observe(seconds: number): void }>();
  const findObserver = (action: string, status: number): { observe(seconds: number): void } => {
    const key = `${status} ${action}`;
    const known = observers.get(key);
    if (known !== undefined) return known;
    const made = duration.labels(action, String(status));
    observers.set(key, made);
    return made;
  };
  return {
    state: () => state,
    open: () => {
      if (state === 'starting') state = 'open';
    },
    close: () => {
      state = 'draining';
      for (const response of inFlight) response.shouldKeepAlive = false;
    },
    inFlight: () => inFlight.size,
    observe: (request, { raw }) => {
      const startedAtMs = performance.now();
      inFlight.add(raw);
      // Unlike the framework's onResponse this is emitted also when the caller disconnected.
      raw.once('close', () => {
        inFlight.delete(raw);
        const isAnswered = raw.writableFinished;
        findObserver(request.figures, isAnswered ? raw.statusCode : ABANDONED).observe(
          (performance.now() - startedAtMs) / MILLIS_PER_SECOND,
        );
        if (!isAnswered) request.abandoned?.();
      });
    },
  };
}

/** Hook: labels the figures of a route's requests. */
export function labelFigures(label: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    request.figures = label;
    done();
  };
}

/** Hook: refuses work that comes before the instance is open, or after it closed, with 503. */
export function requireOpen(traffic: Traffic) {
  return (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const state = traffic.state();
    if (state === 'open') {
      done();
      return;
    }
    if (state === 'draining') reply.header('connection', 'close');
    const detail =
      state === 'draining' ? 'This instance is shutting down.' : 'This instance is still starting.';
    refuse(reply, 'not-ready', { detail });
  };
}
