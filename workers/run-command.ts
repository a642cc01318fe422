import { parseArgs } from 'node:util';
import { loadConfig, type Config } from '../shared/platform/config.ts';
import { errorText, SystemError } from '../shared/platform/errors.ts';
import { combineHealth, startHealthServer } from '../shared/platform/health-server.ts';
import { createLog } from '../shared/platform/log.ts';
import { createMetrics } from '../shared/platform/metrics.ts';
import { WORKER_NAMES, type WorkerName } from './catalogue.ts';
import { startBanner } from './start-banner.ts';
import { startWorkers } from './start-workers.ts';

const HELP = `Usage: npm start -- [WORKER ...]

Starts the named workers in one process, all of them when none is named: ${WORKER_NAMES.join(', ')}.
Without KAFKA_BROKERS they run over the embedded broker, which keeps nothing over a restart.

  HOST, PORT          where the HTTP ingress listens (127.0.0.1, 8080)
  HEALTH_PORT         health and metrics of a process without an ingress
  KAFKA_BROKERS       host:port list; docs/real-kafka.md
  SCHEMA_REGISTRY_URL Confluent-compatible schema registry
  docs/operations.md lists all settings.

Exit codes: 0 stopped on a signal, 1 failed, 2 wrong arguments or configuration.
`;

/** Beyond the drain time itself: what leaving groups and closing sockets may take before the process ends anyway. */
const EXIT_GRACE_MS = 5_000;

/** Runs the process until a signal ends it. Never rejects: failures become exit codes with a message on stderr. */
export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const names = chooseWorkers(args);
  if (names === undefined) return;
  try {
    await run(loadConfig(environment), names);
  } catch (error) {
    const isConfiguration = error instanceof SystemError && error.code === 'invalid-configuration';
    fail(errorText(error), isConfiguration ? 2 : 1);
    process.exit();
  }
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
    if (unknown.length === 0) {
      return positionals.length === 0
        ? WORKER_NAMES
        : WORKER_NAMES.filter((name) => positionals.includes(name));
    }
    fail(`there is no worker ${unknown.join(', ')}; there are: ${WORKER_NAMES.join(', ')}`, 2);
  } catch (error) {
    fail(`${errorText(error)}\n\n${HELP}`, 2);
  }
  return undefined;
}

async function run(config: Config, names: readonly WorkerName[]): Promise<void> {
  const log = createLog({ level: config.logLevel, name: 'engine' });
  const metrics = createMetrics({ processMetrics: true });
  const startedAt = performance.now();
  const system = await startWorkers({ config, names, log, metrics });
  const healthServer =
    system.url === undefined && config.http.healthPort !== undefined
      ? await startHealthServer({
          host: config.http.host,
          port: config.http.healthPort,
          metrics,
          health: () => system.health(),
        })
      : undefined;
  process.stdout.write(
    startBanner({
      config,
      names,
      url: system.url,
      healthUrl: healthServer?.url,
      startMs: performance.now() - startedAt,
    }),
  );

  let exitCode = 0;
  const stop = async (reason: string): Promise<void> => {
    log.info({ reason, health: combineHealth(system.health()).status }, 'stopping');
    setTimeout(() => process.exit(exitCode || 1), config.drainTimeoutMs + EXIT_GRACE_MS).unref();
    await system.stop();
    await healthServer?.stop();
    process.exit(exitCode);
  };
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) process.exit(exitCode || 1);
    stopping = true;
    stop(signal).catch((error: unknown) => fail(errorText(error), 1));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const onBug = (error: unknown): void => {
    log.error(
      { error: errorText(error), stack: error instanceof Error ? error.stack : undefined },
      'unhandled error: stopping',
    );
    exitCode = 1;
    onSignal('unhandled error');
  };
  process.on('unhandledRejection', onBug);
  process.on('uncaughtException', onBug);
}

function fail(message: string, code: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
}
