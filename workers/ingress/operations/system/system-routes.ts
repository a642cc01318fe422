import type { FastifyInstance } from 'fastify';
import { isoText } from '../../../../shared/api/notification/answers.ts';
import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  type SystemState,
} from '../../../../shared/api/operations/system-state.ts';
import { createOpenDeadLetters, type DeadLetterFigures } from '../../../../shared/dead-letters/count-open.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { SettingState } from '../../../../shared/platform/load-config.ts';
import { authorizeOperator } from '../../server/authentication.ts';
import type { IngressContext } from '../../server/context.ts';
import { sendJson } from '../../server/send-answer.ts';
import { labelMetrics } from '../../server/traffic.ts';
import { createBrokerState } from './broker-state.ts';
import { createReading, type Reading } from './cached-reading.ts';
import { createProgressWatch, findFindings, worstOf, type Observed } from './findings.ts';
import { ownState, readProcess } from './process-state.ts';

/** `processUrls`: addresses of the health ports of other processes. */
export interface ShownSystem {
  readonly retryTiersMs: readonly number[];
  readonly processUrls: readonly string[];
  readonly version: string;
  readonly settings: readonly SettingState[];
}

interface SystemRouteDeps extends IngressContext {
  readonly system: ShownSystem;
  /** Health of this instance and of the other workers of its process, by name. */
  readonly workers: () => Readonly<Record<string, Health>>;
}

/** Serves system state and settings to callers with the scope operations:read (E2), even while the system starts. */
export function registerSystem(app: FastifyInstance, deps: SystemRouteDeps): void {
  const observe = createObserver(deps);
  const settings = JSON.stringify({ settings: deps.system.settings });
  const serve = (path: string, label: string, read: () => Promise<string> | string): void => {
    const preHandler = [labelMetrics(label), authorizeOperator(deps, 'operations:read')];
    app.get(path, { preHandler }, async (_request, reply) => sendJson(reply, 200, await read()));
  };
  serve(SYSTEM_PATH, 'system', async () => JSON.stringify(await observe()));
  serve(SYSTEM_SETTINGS_PATH, 'system-settings', () => settings);
}

/** How long an answer waits for broker and processes; then it shows what was read before, and the fault. */
const BROKER_LIMIT_MS = 3_000;
const PROCESS_LIMIT_MS = 2_500;

/** Creates the function that observes the system. Calls within a second share what broker and processes say. */
function createObserver(deps: SystemRouteDeps): () => Promise<SystemState> {
  const { clock, monotonic, timers, system, options } = deps;
  const createdAtMs = clock.now();
  const read = { ...deps, ...system, topicPrefix: options.topicPrefix };
  const letters = createReading(createOpenDeadLetters(read), deps, BROKER_LIMIT_MS);
  showDeadLetters(deps, letters);
  const broker = createReading(createBrokerState(read), deps, BROKER_LIMIT_MS);
  const findStalled = createProgressWatch();
  const others = system.processUrls.map((address) => ({
    name: nameOf(address),
    reading: createReading(() => readProcess(address, timers), deps, PROCESS_LIMIT_MS),
  }));
  return async () => {
    const readings = [broker, letters, ...others.map(({ reading }) => reading)];
    await Promise.all(readings.map((reading) => reading.refresh()));
    const own = await ownState(deps.metrics, deps.workers());
    const known = [
      {
        name: 'this',
        value: { ...own, startedAtMs: own.startedAtMs ?? createdAtMs },
        fault: undefined,
      },
      ...others.map(({ name, reading }) => ({ name, ...reading.latest() })),
    ];
    const { value: state, fault } = broker.latest();
    const observed: Observed = {
      version: system.version,
      broker: { kind: deps.broker.kind, ...fault },
      processes: known.map(({ name, value, fault: ofProcess }) => ({
        name,
        startedAt: value?.startedAtMs === undefined ? undefined : isoText(value.startedAtMs),
        workers: [...(value?.workers ?? [])],
        ...ofProcess,
      })),
      groups: state?.groups ?? [],
      breakers: known.flatMap(({ name: process, value }) =>
        (value?.breakers ?? []).map((breaker) => ({ process, ...breaker })),
      ),
      catalogue: state && (state.catalogue ?? { version: 0 }),
    };
    const stalled = findStalled(observed.groups, monotonic.elapsedMs());
    const findings = [...findFindings(observed, stalled, letters.latest().value)];
    return { at: isoText(clock.now()), status: worstOf(findings), findings, ...observed };
  };
}

/** Each scrape shows what was read last, and starts the next reading. */
function showDeadLetters({ metrics, clock }: SystemRouteDeps, letters: Reading<DeadLetterFigures>): void {
  const count = metrics.gauge('plat_dead_letters_open');
  const age = metrics.gauge('plat_dead_letters_oldest_seconds');
  metrics.onScrape(() => {
    void letters.refresh();
    for (const [kind, figures] of Object.entries(letters.latest().value ?? {})) {
      count.set({ kind }, figures.count);
      age.set({ kind }, Math.max(0, clock.now() - (figures.oldestAtMs ?? clock.now())) / 1_000);
    }
  });
}

function nameOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname === '/' ? '' : pathname}`;
}
