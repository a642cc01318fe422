import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { registryOrSkip } from '../support/kafka/suite.ts';
import {
  PROOF_TOTALS,
  scheduleRows,
  submitSchedule,
  waitForResult,
} from '../support/builders/schedule-call.ts';
import { KAFKA_CLIENT } from '../support/kafka/broker.ts';

const { kafka, suite } = registryOrSkip();
const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 60_000;
const RESULT_LIMIT_MS = 30_000;
const SECRET = 'a secret for the result addresses of this suite';

suite('separate processes on Kafka with a schema registry', () => {
  let scope: KafkaScope;
  let env: Record<string, string>;
  const running: EngineProcess[] = [];
  const ingresses: EngineProcess[] = [];

  const start = async (...workers: string[]): Promise<EngineProcess> => {
    const engine = await startEngine(workers, env);
    running.push(engine);
    return engine;
  };
  const command = (...args: string[]): string =>
    execFileSync(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      timeout: COMMAND_LIMIT_MS,
      encoding: 'utf8',
    });

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    env = {
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      SCHEMA_REGISTRY_URL: kafka.registryUrl,
      RATE_LIMIT_PER_SECOND: '0',
      RESULT_ID_SECRET: SECRET,
    };
  });
  afterAll(async () => {
    for (const engine of running) await engine.end('SIGKILL');
    await scope.close();
  });

  it('fails to start without topics, naming the command that creates them', async () => {
    await expect(startEngine(['schedule'], env)).rejects.toThrow(/npm run topics -- create/);
    command('scripts/topics.ts', 'create');
    command('scripts/topics.ts', 'check');
    command('scripts/schemas.ts', 'register');
  });

  it('serves the result of an asynchronous request from any ingress instance, even after a restart', async () => {
    const first = await start('ingress');
    const submitted = await submitSchedule(first.url);
    await expect(waitForResult(first.url, submitted, 0)).rejects.toThrow(/^202 /);
    expect(await first.end('SIGTERM')).toBe(0);

    const [, second] = await Promise.all([start('schedule'), start('ingress')]);
    const result = await waitForResult(second.url, submitted, RESULT_LIMIT_MS);
    expect(result.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);

    const third = await start('ingress');
    expect(await waitForResult(third.url, submitted, 0)).toEqual(result);
    ingresses.push(second, third);
  });

  it('returns each reply to its caller through two ingress instances', async () => {
    // Those that the test before this one has started, with a schedule worker.
    const [first, second] = ingresses;
    if (first === undefined || second === undefined) throw new Error('two ingresses were not started');
    const amounts = Array.from({ length: 60 }, (_, index) => 100 + index);
    const answers = await Promise.all(
      amounts.map((Amount, index) => scheduleRows(index % 2 === 0 ? first.url : second.url, { Amount })),
    );
    expect(answers[0]?.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(answers.map((rows) => rows[0]?.RemainingValue)).toEqual(amounts);
  });
});
