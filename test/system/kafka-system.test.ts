import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { errorText } from '../../shared/platform/errors.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { registryOrSkip } from '../support/kafka/suite.ts';
import {
  PROOF_TOTALS,
  scheduleRows,
  submitSchedule,
  waitForResult,
  type Row,
} from '../support/builders/schedule-call.ts';
import { KAFKA_CLIENT } from '../support/kafka/broker.ts';

const { kafka, suite } = registryOrSkip();
const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 60_000;
const RESULT_LIMIT_MS = 30_000;
/** The coordinator removes a killed member after its session, 10 s. */
const MAX_REPEATS = 60;
const REPEAT_MS = 500;
const SECRET = 'a secret for the result addresses of this suite';

suite('separate processes on Kafka with a schema registry', () => {
  let scope: KafkaScope;
  let env: Record<string, string>;
  const running: EngineProcess[] = [];

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
  afterEach(async () => {
    for (const engine of running.splice(0)) await engine.end('SIGKILL');
  });
  afterAll(() => scope.close());

  it('fails to start without topics, naming the command that creates them', async () => {
    await expect(startEngine(['schedule'], env)).rejects.toThrow(/npm run topics -- create/);
    expect(command('scripts/topics.ts', 'create')).toContain(`${scope.prefix}plat.schedule.requests.v1`);
    command('scripts/topics.ts', 'check');
    command('scripts/schemas.ts', 'register');
    command('scripts/schemas.ts', 'check');
  });

  it('returns each reply to its caller through two ingress instances', async () => {
    const [, first, second] = await Promise.all([start('schedule'), start('ingress'), start('ingress')]);
    const amounts = Array.from({ length: 60 }, (_, index) => 100 + index);
    const answers = await Promise.all(
      amounts.map((Amount, index) => scheduleRows(index % 2 === 0 ? first.url : second.url, { Amount })),
    );
    expect(answers[0]?.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(answers.map((rows) => rows[0]?.RemainingValue)).toEqual(amounts);
  });

  it('does not lose a request when a worker is killed under load', async () => {
    const [victim, , ingress] = await Promise.all([start('schedule'), start('schedule'), start('ingress')]);
    await scheduleRows(ingress.url);
    // What arrives while the group waits for the victim is refused beyond the work that may be in progress, and repeated.
    const rowsOf = async (Amount: number, repeats = 0): Promise<readonly Row[]> => {
      try {
        return await scheduleRows(ingress.url, { Amount, InstallmentsNo: 24 });
      } catch (error) {
        if (repeats === MAX_REPEATS || !errorText(error).startsWith('503 ')) throw error;
        await sleep(REPEAT_MS);
        return await rowsOf(Amount, repeats + 1);
      }
    };
    const amounts = Array.from({ length: 300 }, (_, index) => 1_000 + index);
    const answers: Promise<readonly Row[]>[] = [];
    for (const [index, Amount] of amounts.entries()) {
      answers.push(rowsOf(Amount));
      if (index === 100) await victim.end('SIGKILL');
      if (index % 10 === 0) await sleep(10);
    }
    expect((await Promise.all(answers)).map((rows) => rows[0]?.RemainingValue)).toEqual(amounts);
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
  });

  it('drains on SIGTERM: answers accepted requests and exits with 0', async () => {
    const [worker, ingress] = await Promise.all([start('schedule'), start('ingress')]);
    await scheduleRows(ingress.url);
    const answers = Array.from({ length: 40 }, () => scheduleRows(ingress.url, { InstallmentsNo: 360 }));
    await Promise.race(answers);
    const ended = worker.end('SIGTERM');
    await start('schedule');
    expect((await Promise.all(answers)).length).toBe(40);
    expect(await ended).toBe(0);
    expect(await ingress.end('SIGTERM')).toBe(0);
  });
});
