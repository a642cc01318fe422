import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  STREAM_LIMITS,
  SYSTEM_EVENTS_PATH,
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
} from '../../../../shared/contract/operations/system.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { SettingState } from '../../../../shared/platform/setting-states.ts';
import type { IngressContext } from '../../server/context.ts';
import { refuse, refuseOtherMethods, sendJson } from '../../server/send-answer.ts';
import { labelMetrics } from '../../server/traffic.ts';
import { authorizeOperator } from '../../server/authorize-operator.ts';
import { createEventStreams } from './event-streams.ts';
import type { WATCHING } from './rates.ts';
import { createSystemWatch } from './system-watch.ts';

/** What the system addresses show in addition to what the routes share. */
export interface ShownSystem {
  readonly retryTiersMs: readonly number[];
  /** Addresses of the health ports of other processes. */
  readonly processUrls: readonly string[];
  /** Release of this instance. */
  readonly version: string;
  readonly settings: readonly SettingState[];
}

export interface SystemRouteDeps extends IngressContext {
  readonly system: ShownSystem;
  /** Health of this instance and of the other workers of its process, by name. */
  readonly workers: () => Readonly<Record<string, Health>>;
}

/** The streams of events, which a stopping instance ends. */
export interface SystemRoutes {
  /** Ends all streams; new ones are refused. */
  close(): void;
}

/** Seconds after which a place of a stream may be free. */
const STREAM_RETRY_SECONDS = 10;

/**
 * Serves the state of the system, its events and the settings to callers with the scope operations:read (E2). An instance that
 * is starting serves them too; a stopping one refuses new streams.
 */
export function registerSystem(app: FastifyInstance, deps: SystemRouteDeps): SystemRoutes {
  const { options, system, timers } = deps;
  const watch = createSystemWatch({ ...deps, ...system, topicPrefix: options.topicPrefix });
  let unfollow: (() => void) | undefined;
  const streams = createEventStreams({
    timers,
    event: 'system',
    onWatched: (isWatched) => {
      unfollow?.();
      unfollow = isWatched ? watch.follow((json) => streams.send(json)) : undefined;
    },
  });
  const gauge = deps.metrics.gauge('plat_ingress_event_streams', 'Open streams of server-sent events');
  deps.metrics.onScrape(() => gauge.set(streams.count()));
  const serve = (
    path: string,
    label: Exclude<(typeof WATCHING)[number], 'workbench'>,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ) => {
    const url = options.basePath + path;
    app.get(url, { preHandler: [labelMetrics(label), authorizeOperator(deps, 'operations:read')], handler });
    refuseOtherMethods(app, url, 'GET');
  };
  const settings = JSON.stringify({ settings: system.settings });
  serve(SYSTEM_PATH, 'system', async (_request, reply) => sendJson(reply, 200, await watch.state()));
  serve(SYSTEM_SETTINGS_PATH, 'system-settings', async (_request, reply) => sendJson(reply, 200, settings));
  serve(SYSTEM_EVENTS_PATH, 'system-events', async (request, reply) => {
    const json = await watch.state();
    // Its caller has gone meanwhile.
    if (reply.raw.destroyed) return void reply.hijack();
    if (deps.traffic.state() === 'draining') {
      return refuse(reply, 'not-ready', { detail: 'This instance is shutting down.' });
    }
    const full = streams.refusal(request.caller);
    if (full !== undefined) return refuseStream(reply, full);
    // HEAD has no body, so nothing to stream.
    if (request.method === 'HEAD') reply.header('content-type', 'text/event-stream; charset=utf-8').send();
    else streams.open(reply, request.caller, json);
  });
  return { close: () => streams.close() };
}

function refuseStream(reply: FastifyReply, full: 'caller' | 'instance'): void {
  reply.header('retry-after', STREAM_RETRY_SECONDS);
  if (full === 'caller') {
    const detail = `A caller may have ${STREAM_LIMITS.streamsOfCaller} streams of events open; close one.`;
    return refuse(reply, 'rate-limited', { detail });
  }
  refuse(reply, 'overloaded', {
    detail: `${STREAM_LIMITS.streams} streams of events are open on this instance.`,
  });
}
