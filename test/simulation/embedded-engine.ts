import { createHash } from 'node:crypto';
import type { DiskIo } from '../../shared/messaging/disk/disk-io.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { WORKER_NAMES } from '../../workers/worker-list.ts';
import { SimulatedDisk, type DiskProcess } from '../support/disk/simulated-disk.ts';
import { Picks } from '../support/random/pick.ts';
import { CallFates } from './faults/call-fates.ts';
import type { DiskIncident, DiskIncidentKind, DiskPlan } from './faults/disk-plan.ts';
import type { Call } from './ingress-call.ts';
import { SimProviders, type ProviderObserver } from './providers.ts';
import {
  RestartingProcess,
  type CallResult,
  type ProcessObserver,
  type ProcessWorld,
  type SimProcess,
} from './restarting-process.ts';
import { seededSystem, type SeededSystem } from './seeded-system.ts';
import { createMachine, type ProcessLife } from './sim-process.ts';

/** Longest simulated time of a start, a stop, or of reading a topic. */
const LIMIT_MS = 60_000;
const PROVIDER_TIMEOUT_MS = 2_000;
const FOLDER = '/data';
/** An operator restarts the engine within this time when its disk works again. */
const RESTART_MS = 500;
const HASH_DIGITS = 16;

export type EngineObserver = ProcessObserver & ProviderObserver;

/** All workers of the engine in one process, over the embedded broker on a simulated disk. */
export interface EmbeddedEngine {
  readonly system: SeededSystem;
  readonly process: SimProcess;
  readonly disk: SimulatedDisk;
  /** Incidents so far, by kind. */
  readonly counts: Readonly<Partial<Record<DiskIncidentKind, number>>>;
  /** Begins the fault period of the plan. */
  beginFaults(): void;
  /** Sends a request to the ingress, below its socket. */
  call(call: Call): Promise<CallResult>;
  /** The records of a topic, as the running process reads them. Rejects when it does not run. */
  records(topic: string): Promise<readonly LogMessage[]>;
  stop(): Promise<void>;
}

/** Starts the production workers with the ports of the seed. Rejects when they do not start within the limit. */
export async function startEmbeddedEngine(
  plan: DiskPlan,
  observer: EngineObserver = {},
): Promise<EmbeddedEngine> {
  // The first attachment would load it, and a simulation cannot wait for files.
  await import('file-type');
  const system = seededSystem(plan.seed);
  const fates = new CallFates(plan);
  const disk = new SimulatedDisk(new Picks(plan.seed), system.timers);
  const programs = new Map<ProcessLife, DiskProcess>();
  let isPowerLoss = false;
  const world: ProcessWorld = {
    config: loadConfig({
      RATE_LIMIT_PER_SECOND: '0',
      NOTIFICATION_SEND_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      DATA_DIR: FOLDER,
    }),
    observer,
    providers: new SimProviders(fates, observer),
    connect: (life) => {
      const program = disk.start();
      programs.set(life, program);
      return { diskIo: countedCalls(program.io, life) };
    },
    onCrash: (life) => {
      programs.get(life)?.kill();
      if (isPowerLoss) disk.losePower();
      isPowerLoss = false;
    },
  };
  const process = new RestartingProcess(
    { name: 'engine', workers: WORKER_NAMES },
    world,
    createMachine(system, plan.seed, plan.clocks),
  );
  const counts: Partial<Record<DiskIncidentKind, number>> = {};
  const end = (after: Extract<DiskIncident, { readonly downMs: number }>): void => {
    isPowerLoss = after.kind === 'power-loss';
    process.crash(after.afterEffects, after.downMs);
  };
  const strike = (incident: DiskIncident): void => {
    const { atMs: _atMs, ...what } = incident;
    observer.onEvent?.(JSON.stringify(what));
    counts[incident.kind] = (counts[incident.kind] ?? 0) + 1;
    const { kind } = incident;
    switch (kind) {
      case 'crash':
      case 'power-loss':
        return end(incident);
      case 'freeze':
        return process.freeze(incident.forMs);
      case 'clock-step':
        process.machine.skewMs += incident.byMs;
        return;
      case 'full-disk':
      case 'slow-disk':
      case 'failing-disk':
        return strikeDisk(disk, incident, process);
      default:
        return kind satisfies never;
    }
  };
  await system.run(process.start(), LIMIT_MS);
  return {
    system,
    process,
    disk,
    counts,
    beginFaults: () => {
      fates.isActive = true;
      system.timers.schedule(() => {
        fates.isActive = false;
        Object.assign(disk.faults, { isFull: false, slowestSyncMs: 0, failedSyncPercent: 0 });
        observer.onEvent?.('the fault period ends');
      }, plan.faultMs);
      for (const incident of plan.incidents) system.timers.schedule(() => strike(incident), incident.atMs);
    },
    call: (call) => process.call(call),
    records: (topic) => system.run(readTopic(process.broker(), topic), LIMIT_MS),
    stop: () => system.run(process.stop(), LIMIT_MS),
  };
}

/** A fault of the disk ends at its time; an earlier one of its kind may end it before. */
function strikeDisk(
  { faults }: SimulatedDisk,
  incident: Extract<DiskIncident, { readonly kind: `${string}-disk` }>,
  process: RestartingProcess,
): void {
  const { kind, forMs } = incident;
  if (kind === 'full-disk') faults.isFull = true;
  else if (kind === 'slow-disk') faults.slowestSyncMs = incident.slowestSyncMs;
  else faults.failedSyncPercent = incident.failedSyncPercent;
  process.machine.system.timers.schedule(() => {
    if (kind === 'full-disk') faults.isFull = false;
    else if (kind === 'slow-disk') faults.slowestSyncMs = 0;
    else {
      faults.failedSyncPercent = 0;
      process.crash(0, RESTART_MS);
    }
  }, forMs);
}

/** The calls of a disk as effects of a process, so that it may end between any two of them. */
function countedCalls(io: DiskIo, life: ProcessLife): DiskIo {
  return new Proxy(io, {
    get: (target, name, receiver) => {
      const call: unknown = Reflect.get(target, name, receiver);
      if (typeof call !== 'function') return call;
      return (...values: readonly unknown[]): unknown => {
        if (!life.mayAct()) throw Object.assign(new Error('the process has ended'), { code: 'EBADF' });
        return Reflect.apply(call, target, values) as unknown;
      };
    },
  });
}

async function readTopic(broker: Broker | undefined, topic: string): Promise<readonly LogMessage[]> {
  if (broker === undefined) throw new Error('the process does not run');
  const messages: LogMessage[] = [];
  const offsets = await broker.admin.offsets(topic);
  await broker.readRanges(
    offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high })),
    (message) => {
      messages.push(message);
      return 'more';
    },
  );
  return messages;
}

/** A record in one line, without its content. */
export function describeRecord({
  topic,
  partition,
  offset,
  key,
  value,
  headers,
  timestampMs,
}: LogMessage): string {
  const names = Object.keys(headers).toSorted();
  const texts = names.map((name) => `${name}=${String(headers[name])}`);
  const where = `${topic}/${partition}@${offset}`;
  return `record ${where} ${timestampMs} ${key?.toString('latin1') ?? '-'} ${hash(value ?? '-')} ${hash(texts.join('\n'))}`;
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS);
}
