import { parseArgs } from 'node:util';
import { loadConfig, type Config } from '../shared/platform/load-config.ts';
import { errorText, SystemError } from '../shared/platform/errors.ts';
import { combineHealth, startHealthServer } from '../shared/platform/health.ts';
import { createLog, type Log } from '../shared/platform/log.ts';
import { createMetrics } from '../shared/platform/metrics.ts';
import { systemPorts } from '../shared/platform/system-ports.ts';
import { WORKER_NAMES, type WorkerName } from './worker-list.ts';
import { renderStartBanner } from './start-banner.ts';
import { DRAIN_TIMEOUT_MS, startWorkers, type RunningSystem, type StartOptions } from './start-workers.ts';

const HELP = `Usage: npm start -- [WORKER ...]

Starts the named workers in one process, all of them when none is named: ${WORKER_NAMES.join(', ')}.
Without KAFKA_BROKERS they use the embedded broker, which keeps its messages in DATA_DIR.

  HOST, PORT          where the HTTP ingress listens (127.0.0.1, 8080)
  HEALTH_PORT         health and metrics of a process without an ingress
  DATA_DIR            folder of the embedded broker, the index of notifications and the local outbox (var/data);
                      memory: no message is kept
  KAFKA_BROKERS       host:port list; docs/real-kafka.md
  SCHEMA_REGISTRY_URL Confluent-compatible schema registry
  docs/settings.md lists all settings.

Exit codes: 0 stopped on a signal, 1 failed, 2 wrong arguments or configuration.
`;

/** A stop that takes this much longer than the drain ends the process. */
export const EXIT_GRACE_MS = 5_000;

/** Under npm Ctrl-C arrives twice, from the terminal and from npm. A second signal within this time is ignored. */
const SAME_SIGNAL_MS = 1_000;

/** Runs the process until a signal ends it. Never rejects: failures end the process with a message and an exit code. */
export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const names = chooseWorkers(args);
  if (names === undefined) return;
  try {
    await run(loadConfig(environment), names);
  } catch (error) {
    const isConfiguration = error instanceof SystemError && error.code === 'invalid-configuration';
    fail(describeFailure(error), isConfiguration ? 2 : 1);
    process.exit();
  }
}

function describeFailure(error: unknown): string {
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: set PORT (without an ingress, HEALTH_PORT) to another port, or to 0 for any free port`;
  if (code === 'EADDRNOTAVAIL')
    return `this machine has no address ${address}: set HOST to one of its addresses`;
  if (code === 'EACCES') return `this user may not listen on port ${port}: set PORT to 1024 or higher`;
  return errorText(error);
}

function chooseWorkers(args: readonly string[]): readonly WorkerName[] | undefined {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help === true) {
      process.stdout.write(HELP);
      return undefined;
    }
    const unknown = positionals.filter((name) => !(WORKER_NAMES as readonly string[]).includes(name));
    if (positionals.length === 0) return WORKER_NAMES;
    if (unknown.length === 0) return WORKER_NAMES.filter((name) => positionals.includes(name));
    fail(`unknown worker ${unknown.join(', ')}; the workers are ${WORKER_NAMES.join(', ')}`, 2);
  } catch (error) {
    fail(`${errorText(error)}\n\n${HELP}`, 2);
  }
  return undefined;
}

async function run(config: Config, names: readonly WorkerName[]): Promise<void> {
  const log = createLog({ level: config.logLevel, name: 'engine' });
  const metrics = createMetrics({ processMetrics: true });
  // Called before the start, so that signals are handled during it.
  const ending = awaitEnd(log, DRAIN_TIMEOUT_MS + EXIT_GRACE_MS);
  const startedAt = performance.now();
  let running: RunningSystem | undefined;
  // Started before the workers: while they wait for Kafka or the registry, the process is live but not ready.
  const healthServer =
    !names.includes('ingress') && config.http.healthPort !== undefined
      ? await startHealthServer({
          ...config.http,
          port: config.http.healthPort,
          metrics,
          timers: systemPorts.timers,
          health: () => running?.health() ?? { start: { status: 'starting' } },
        })
      : undefined;
  const system = (running = await startUnlessEnded({ config, names, log, metrics }, ending));
  const startMs = performance.now() - startedAt;
  const { url } = system;
  const healthUrl = healthServer?.url;
  const nowMs = systemPorts.clock.now();
  process.stdout.write(await renderStartBanner({ config, names, url, healthUrl, startMs, nowMs }));
  const { reason, exitCode } = await ending;
  log.info({ reason, health: combineHealth(system.health()).status }, 'stopping');
  await system.stop();
  await healthServer?.stop();
  process.exit(exitCode);
}

async function startUnlessEnded(options: StartOptions, ending: Promise<End>): Promise<RunningSystem> {
  const given = new AbortController();
  void ending.then(({ reason }) => given.abort(new Error(reason)));
  try {
    return await startWorkers({ ...options, signal: given.signal });
  } catch (error) {
    if (given.signal.aborted) {
      const { reason, exitCode } = await ending;
      options.log.info({ reason }, 'stopped before it was ready');
      process.exit(exitCode);
    }
    throw error;
  }
}

interface End {
  readonly reason: string;
  readonly exitCode: number;
}

/** Resolves on the first signal or unhandled error. Another after 1 s, or a stop over `limitMs`, ends the process. */
function awaitEnd(log: Log, limitMs: number): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  let ended: End | undefined;
  let endedAt = 0;
  const end = (reason: string, exitCode: number): void => {
    if (ended !== undefined) {
      if (performance.now() - endedAt < SAME_SIGNAL_MS) return;
      process.exit(1);
    }
    ended = { reason, exitCode };
    endedAt = performance.now();
    setTimeout(() => process.exit(1), limitMs).unref();
    resolve(ended);
  };
  const onBug = (error: unknown): void => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.error({ error: errorText(error), stack }, 'unhandled error: stopping');
    end('unhandled error', 1);
  };
  process.on('SIGTERM', (signal) => end(signal, 0));
  process.on('SIGINT', (signal) => end(signal, 0));
  process.on('unhandledRejection', onBug);
  process.on('uncaughtException', onBug);
  return promise;
}

function fail(message: string, code: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
}
