import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createMemoryBroker } from '../../shared/messaging/memory/broker.ts';
import type { MemoryFault } from '../../shared/messaging/memory/injected-faults.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { retryTopicName, TOPIC } from '../../shared/messaging/topics/topics.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import type { Channel } from '../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../shared/notification/provider.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { sleep } from '../../shared/platform/timers.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
import type { ProviderSet } from '../../workers/notification/providers/configured-providers.ts';
import { guard } from '../../workers/notification/providers/guarded-provider.ts';
import { startProductWorker } from '../../workers/product/main.ts';
import type { StartWorker } from '../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../workers/simulation/main.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { WORKER_NAMES, type WorkerName } from '../../workers/worker-list.ts';
import { inject, type Answer, type Call } from './inject.ts';
import { seededSystem, type SeededSystem } from './seeded-system.ts';

/** Longest simulated time of a start or stop. */
const START_LIMIT_MS = 60_000;
const HASH_DIGITS = 16;
const PROVIDER_TIMEOUT_MS = 2_000;

/** All workers of the engine in one process, over the embedded broker, under simulated time. */
export interface SimulatedEngine {
  readonly system: SeededSystem;
  readonly running: RunningSystem;
  /** What happened, one line each: records as they are written, calls of providers, responses. */
  readonly trace: readonly string[];
  /** Sends a request to the ingress, below its socket. */
  call(call: Call): Promise<Answer>;
  stop(): Promise<void>;
}

/** Probabilities of faults, in percent. */
export interface FaultRates {
  /** A publish that takes effect late. */
  readonly latePublish: number;
  /** A publish whose response is lost. */
  readonly lostResponse: number;
}

/**
 * Starts the production workers with the ports of the seed. Only what a process reaches outside is replaced: the socket of
 * the ingress, the providers, and the worker threads, without which long calculations run on the event loop.
 */
export async function simulateEngine(seed: number, rates: FaultRates): Promise<SimulatedEngine> {
  // The first attachment would load it, and a simulation cannot wait for files.
  await import('file-type');
  const system = seededSystem(seed);
  const trace: string[] = [];
  const note = (line: string): void => {
    trace.push(`${system.monotonic.elapsedMs().toFixed(3)} ${line}`);
  };
  const config = loadConfig({
    RATE_LIMIT_PER_SECOND: '0',
    NOTIFICATION_SEND_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  });
  let isFaulty = false;
  const broker = createMemoryBroker({
    ...system,
    faults: (call) => (isFaulty && call === 'publish' ? publishFault(system, rates) : undefined),
  });
  await traceRecords(broker, config, note);
  let app: FastifyInstance | undefined;
  const starters: Readonly<Record<WorkerName, StartWorker>> = {
    ingress: ({ threads: _threads, ...context }) =>
      startIngressWorker(context, async (created) => {
        await created.ready();
        app = created;
        return config.http.port;
      }),
    schedule: ({ threads: _threads, ...context }) => startScheduleWorker(context),
    product: startProductWorker,
    simulation: startSimulationWorker,
    notification: (context) =>
      startNotificationWorker(context, () => Promise.resolve(createProviders(system, note))),
  };
  const started = startWorkers({
    config,
    names: WORKER_NAMES,
    log: silentLog,
    ports: system,
    broker,
    starters,
  });
  const running = await system.run(started, START_LIMIT_MS);
  isFaulty = true;
  return {
    system,
    running,
    trace,
    call: async (call) => {
      if (app === undefined) throw new Error('the ingress was not started');
      const answer = await inject(app, call);
      note(`response ${call.method} ${call.url} ${answer.status} ${hash(answer.body)}`);
      return answer;
    },
    stop: async () => {
      await system.run(running.stop(), START_LIMIT_MS);
      await system.run(broker.close(), START_LIMIT_MS);
    },
  };
}

/** Follows all topics. The record is in the trace with the time of its delivery, which is that of its append. */
async function traceRecords(broker: Broker, config: Config, note: (line: string) => void): Promise<void> {
  const { topicPrefix, notification } = config;
  await broker.admin.createTopics(allTopicSpecs(topicPrefix, notification.retryTiersMs));
  const tiers = notification.retryTiersMs.map((delayMs) => retryTopicName(topicPrefix, delayMs));
  const tail = broker.createTail({
    clientId: 'trace',
    topics: [...Object.values(TOPIC), ...tiers],
    from: 'earliest',
  });
  await tail.start((message) => note(describeRecord(message)));
}

function describeRecord({ topic, partition, offset, key, value, headers, timestampMs }: LogMessage): string {
  const names = Object.keys(headers).toSorted();
  const texts = names.map((name) => `${name}=${String(headers[name])}`);
  const where = `${topic}/${partition}@${offset}`;
  return `record ${where} ${timestampMs} ${key?.toString('latin1') ?? '-'} ${hash(value ?? '-')} ${hash(texts.join('\n'))}`;
}

function publishFault({ picks }: SeededSystem, rates: FaultRates): MemoryFault | undefined {
  const kind = picks.share() * 100;
  if (kind < rates.latePublish) return { kind: 'delay', ms: picks.whole(1, 400) };
  return kind < rates.latePublish + rates.lostResponse ? { kind: 'lose-reply' } : undefined;
}

/** Two providers of each channel behind the production guard, which fail at times. */
function createProviders(system: SeededSystem, note: (line: string) => void): ProviderSet {
  const channels: readonly Channel[] = ['sms', 'email'];
  const all = channels.flatMap((channel) =>
    ['first', 'second'].map((name) => {
      const provider = failingProvider(system, note, { name, channel });
      return guard(provider, { ratePerSecond: 20 }, system.monotonic);
    }),
  );
  return {
    of: (channel) => all.filter((provider) => provider.channel === channel),
    health: () => ({ status: 'ready' }),
    fileHealth: () => ({ status: 'ready' }),
    close: () => Promise.resolve(),
  };
}

function failingProvider(
  { picks, timers }: SeededSystem,
  note: (line: string) => void,
  { name, channel }: { readonly name: string; readonly channel: Channel },
): Provider {
  return {
    name,
    channel,
    isIdempotent: false,
    send: async (message, signal) => {
      const result = picks.of<SendResult>(
        { kind: 'sent', providerMessageId: message.id },
        { kind: 'sent', providerMessageId: message.id },
        { kind: 'sent', providerMessageId: message.id },
        { kind: 'transient', code: 'busy' },
        { kind: 'transient', code: 'later', retryAfterMs: picks.whole(1, 30_000) },
        { kind: 'permanent', code: 'rejected' },
        { kind: 'unknown', code: 'timeout' },
      );
      await sleep(timers, picks.whole(1, result.kind === 'unknown' ? 60_000 : 500), signal);
      note(`provider ${channel}/${name} ${message.id} ${signal.aborted ? 'aborted' : result.kind}`);
      return signal.aborted ? { kind: 'unknown', code: 'timeout' } : result;
    },
    close: () => Promise.resolve(),
  };
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS);
}
