import type { Broker } from '../../../../shared/messaging/ports.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { Metrics } from '../../../../shared/platform/metrics.ts';
import type { SystemPorts } from '../../../../shared/platform/system-ports.ts';
import { createOpenDeadLetters, type DeadLetterFigures } from '../../../../shared/dead-letters/count-open.ts';
import { createBrokerState, type BrokerState } from './broker-state.ts';
import { createReading, type LatestReading, type Reading } from './cached-reading.ts';
import { createProgressWatch, findFindings, worstOf, type Observed } from './findings.ts';
import { breakersOf, ownState, readProcess, startTimeMs, type ProcessState } from './process-state.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  type SystemProcess,
  type SystemState,
} from '../../../../shared/api/operations/system-state.ts';
import type { SettingState } from '../../../../shared/platform/load-config.ts';
import type { IngressContext } from '../../server/context.ts';
import { sendJson } from '../../server/send-answer.ts';
import { labelMetrics } from '../../server/traffic.ts';
import { authorizeOperator } from '../../server/authentication.ts';

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
  readonly workers: SystemWatchDeps['workers'];
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

interface SystemWatchDeps extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  readonly broker: Broker;
  readonly metrics: Metrics;
  readonly topicPrefix: string;
  readonly retryTiersMs: readonly number[];
  /** Addresses of the health ports of other processes. */
  readonly processUrls: readonly string[];
  /** Health of this instance and of the other workers of its process, by name. */
  readonly workers: () => Readonly<Record<string, Health>>;
  /** Release of this instance. */
  readonly version: string;
}

/** How long an answer waits for broker and processes; then it shows what was read before, and the fault. */
const BROKER_LIMIT_MS = 3_000;
const PROCESS_LIMIT_MS = 2_500;

interface Source {
  readonly name: string;
  /** Of this process: read again each time. */
  readonly reading: Reading<ProcessState> | undefined;
}

/**
 * Creates a function that observes the state of the system. What broker and processes say of it is at most a second old: all who
 * ask within that time share it.
 */
function createSystemWatch(deps: SystemWatchDeps): () => Promise<SystemState> {
  const letters = createReading(createOpenDeadLetters(deps), deps, BROKER_LIMIT_MS);
  showDeadLetters(deps, letters);
  return createObserver(deps, letters);
}

/** Creates a function that observes the state, once broker and processes have been read or did not answer in time. */
function createObserver(
  deps: SystemWatchDeps,
  letters: Reading<DeadLetterFigures>,
): () => Promise<SystemState> {
  const { clock, monotonic, timers, version } = deps;
  const createdAtMs = clock.now();
  const broker = createReading(createBrokerState(deps), deps, BROKER_LIMIT_MS);
  const progress = createProgressWatch();
  const sources: readonly Source[] = [
    { name: 'this', reading: undefined },
    ...deps.processUrls.map((address) => ({
      name: nameOf(address),
      reading: createReading(() => readProcess(address, timers), deps, PROCESS_LIMIT_MS),
    })),
  ];
  return async () => {
    await Promise.all([
      broker.refresh(),
      letters.refresh(),
      ...sources.map((source) => source.reading?.refresh()),
    ]);
    const own = await ownState(deps.metrics, deps.workers());
    const processes = sources.map(({ name, reading: read }) => {
      const latest = read?.latest() ?? { value: own, fault: undefined, readAtMs: undefined };
      const startedAtMs = latest.value === undefined ? undefined : startTimeMs(latest.value);
      return {
        process: toProcess(name, latest, startedAtMs ?? (read === undefined ? createdAtMs : undefined)),
        breakers: latest.value === undefined ? [] : breakersOf(latest.value),
      };
    });
    const fromBroker: LatestReading<BrokerState> = broker.latest();
    const observed: Observed = {
      version,
      broker: { kind: deps.broker.kind, ...faultOf(fromBroker) },
      processes: processes.map((one) => one.process),
      groups: [...(fromBroker.value?.groups ?? [])],
      breakers: processes.flatMap((one) =>
        one.breakers.map((state) => ({ process: one.process.name, ...state })),
      ),
      ...catalogueOf(fromBroker),
    };
    const stalled = progress.observe(observed.groups, monotonic.elapsedMs());
    const findings = [...findFindings(observed, stalled, letters.latest().value)];
    return { at: toText(clock.now()), status: worstOf(findings), findings, ...observed };
  };
}

/** Shows the open dead letters as metrics: each scrape has what was read last, and lets it be read again. */
function showDeadLetters({ metrics, clock }: SystemWatchDeps, letters: Reading<DeadLetterFigures>): void {
  const count = metrics.gauge(
    'plat_dead_letters_open',
    'Dead letters that no operator has handled; parked: the notifications among them that may have been sent',
    ['kind'],
  );
  const age = metrics.gauge('plat_dead_letters_oldest_seconds', 'Age of the oldest open dead letter', [
    'kind',
  ]);
  metrics.onScrape(() => {
    void letters.refresh();
    for (const [kind, figures] of Object.entries(letters.latest().value ?? {})) {
      count.set({ kind }, figures.count);
      age.set({ kind }, Math.max(0, clock.now() - (figures.oldestAtMs ?? clock.now())) / 1_000);
    }
  });
}

function toProcess(
  name: string,
  latest: LatestReading<ProcessState>,
  startedAtMs: number | undefined,
): SystemProcess {
  return {
    name,
    ...(startedAtMs === undefined ? {} : { startedAt: toText(startedAtMs) }),
    workers: [...(latest.value?.workers ?? [])],
    ...faultOf(latest),
  };
}

function catalogueOf({ value }: LatestReading<BrokerState>): Pick<SystemState, 'catalogue'> {
  return value === undefined ? {} : { catalogue: value.catalogue ?? { version: 0 } };
}

function faultOf({
  fault,
  readAtMs,
}: LatestReading<unknown>): Pick<SystemProcess, 'fault' | 'faultCode' | 'faultDetail' | 'lastReadAt'> {
  if (fault === undefined) return {};
  const { code, text, detail } = fault;
  return {
    fault: text,
    faultCode: code,
    ...(detail === undefined ? {} : { faultDetail: detail }),
    ...(readAtMs === undefined ? {} : { lastReadAt: toText(readAtMs) }),
  };
}

function nameOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname === '/' ? '' : pathname}`;
}

function toText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
