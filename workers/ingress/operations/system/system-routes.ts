import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SYSTEM_PATH, SYSTEM_SETTINGS_PATH } from '../../../../shared/api/operations/system-state.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { SettingState } from '../../../../shared/platform/load-config.ts';
import type { IngressContext } from '../../server/context.ts';
import { sendJson } from '../../server/send-answer.ts';
import { labelMetrics } from '../../server/traffic.ts';
import { authorizeOperator } from '../../server/authentication.ts';
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

/** Serves the state of the system and the settings to callers with the scope operations:read (E2), also while it is starting. */
export function registerSystem(app: FastifyInstance, deps: SystemRouteDeps): void {
  const { options, system } = deps;
  const observe = createSystemWatch({ ...deps, ...system, topicPrefix: options.topicPrefix });
  const serve = (
    path: string,
    label: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ) => {
    app.get(path, { preHandler: [labelMetrics(label), authorizeOperator(deps, 'operations:read')], handler });
  };
  const settings = JSON.stringify({ settings: system.settings });
  serve(SYSTEM_PATH, 'system', async (_request, reply) =>
    sendJson(reply, 200, JSON.stringify(await observe())),
  );
  serve(SYSTEM_SETTINGS_PATH, 'system-settings', async (_request, reply) => sendJson(reply, 200, settings));
}
