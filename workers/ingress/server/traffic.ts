import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MonotonicClock } from '../../../shared/platform/system-ports.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import { refuse } from './send-answer.ts';

const ABANDONED = 499;

declare module 'fastify' {
  interface FastifyRequest {
    /** Label `action` of the request metrics: the name of an action or of a route, never text of the caller. */
    metricsLabel: string;
  }
}

export type Traffic = ReturnType<typeof createTraffic>;

/** Tracks whether an instance accepts requests, and counts and measures those in flight. */
export function createTraffic(metrics: Metrics, monotonic: MonotonicClock) {
  /** `starting`: replies cannot be received yet; `draining`: the instance is shutting down. */
  let state: 'starting' | 'open' | 'draining' = 'starting';
  const inFlight = new Set<ServerResponse>();
  const duration = metrics.duration('plat_http_request_duration_seconds');
  const gauge = metrics.gauge('plat_http_requests_in_flight');
  metrics.onScrape(() => gauge.set(inFlight.size));
  return {
    state: () => state,
    open: (): void => {
      if (state === 'starting') state = 'open';
    },
    /** Refuses new requests, and marks all further responses as the last on their connections. */
    close: (): void => {
      state = 'draining';
      for (const response of inFlight) response.shouldKeepAlive = false;
    },
    inFlight: () => inFlight.size,
    /** Counts a request as in flight until its response is sent or its caller disconnects. */
    observe: (request: FastifyRequest, { raw }: FastifyReply): void => {
      const startedAtMs = monotonic.elapsedMs();
      inFlight.add(raw);
      if (state === 'draining') raw.shouldKeepAlive = false;
      // Unlike the onResponse hook of fastify, this event is emitted when the caller disconnects too.
      raw.on('close', () => {
        inFlight.delete(raw);
        const status = raw.writableFinished ? raw.statusCode : ABANDONED;
        const seconds = (monotonic.elapsedMs() - startedAtMs) / 1_000;
        duration.observe({ action: request.metricsLabel, status }, seconds);
      });
    },
  };
}

/** Hook: labels the metrics of a route's requests. */
export function labelMetrics(label: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    request.metricsLabel = label;
    done();
  };
}

/** Hook: responds with 503 while the instance is starting or shutting down. */
export function requireOpen(traffic: Traffic) {
  return (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const state = traffic.state();
    if (state === 'open') return done();
    const doing = state === 'draining' ? 'shutting down' : 'still starting';
    refuse(reply, 'not-ready', { detail: `This instance is ${doing}.` });
  };
}
