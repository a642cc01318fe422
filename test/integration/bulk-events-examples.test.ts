import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { topicSpecs, topicName } from '../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { eventually } from '../support/conformance/wait.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { openKafkaScope, withFewPartitions, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const EXAMPLE = 'docs/examples/node-kafkajs/recalculate.ts';
const CONTRACTS = 1_000;
const ROWS = 36;
const BAD_AMOUNT_EACH = 97;
const BROKEN_LINE_EACH = 333;
/** This many bytes of results contain some dozens of contracts, so the run is in progress. */
const MIDDLE_BYTES = 500_000;
const STEP_MS = 60_000;
const SCHEDULE_TOPICS = ['scheduleRequests', 'scheduleBulkRequests', 'scheduleDeadLetters'] as const;

type Failure = { line: number; id?: string | number; problem: { code: string } };
const root = path.resolve(import.meta.dirname, '../..');
const { kafka, suite } = kafkaOrSkip();

const isBroken = (line: number): boolean => line % BROKEN_LINE_EACH === 0;
const isRefused = (line: number): boolean => line % BAD_AMOUNT_EACH === 0 && !isBroken(line);
const idOf = (line: number): string | number => (line % 2 === 0 ? line : `c-${line}`);
const allLines = Array.from({ length: CONTRACTS }, (_, index) => index + 1);

function portfolioLine(line: number): string {
  if (isBroken(line)) return '{"id": "c-';
  const jsonParam = {
    ScheduleType: 'EqualInstallments',
    ProductType: 'TL',
    InterestPercent: 7,
    Amount: isRefused(line) ? 'text' : 1_000 + line,
    InstallmentsNo: ROWS,
    PeriodicityType: 'Monthly',
    InstallmentDay: 1,
    ActivationDate: '2024-01-01',
  };
  return JSON.stringify({ id: idOf(line), jsonParam });
}

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

suite('the Node example of bulk requests as events', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bulk-events-'));
  const portfolio = path.join(folder, 'portfolio.ndjson');
  const output = path.join(folder, 'results.ndjson');
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let example: ChildProcess | undefined;
  let first: EngineProcess;
  const workers: EngineProcess[] = [];

  const startWorker = async (): Promise<EngineProcess> => {
    const worker = await startEngine(['schedule'], {
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
    });
    workers.push(worker);
    return worker;
  };
  const startExample = (from: string, to: string): { child: ChildProcess; stderr: () => string } => {
    const child = spawn(process.execPath, [EXAMPLE, from, to], {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        NODE_OPTIONS: '--disable-warning=TimeoutNegativeWarning',
        KAFKA_CLIENT,
        KAFKA_BROKERS: kafka.brokers.join(','),
        REQUEST_TOPIC: topicName(scope.prefix, 'scheduleBulkRequests'),
        REPLY_TOPIC: scope.nameOf('upstream.replies.v1'),
        CONTRACTS_PER_MESSAGE: '10',
        MESSAGES_IN_FLIGHT: '4',
        REPEAT_AFTER_MS: '3000',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    example = child;
    return { child, stderr: () => text };
  };

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'examples-test', log: silentLog });
    const topics = topicSpecs(scope.prefix, [...SCHEDULE_TOPICS, 'catalogueRecords']);
    await broker.admin.createTopics(withFewPartitions(topics));
    first = await startWorker();
    writeFileSync(portfolio, allLines.map((line) => `${portfolioLine(line)}\n`).join(''));
  });
  afterAll(async () => {
    if (example?.exitCode === null) example.kill('SIGKILL');
    for (const worker of workers) await worker.end('SIGTERM');
    await broker.close();
    await scope.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes exactly one line of results or failures for every line of the portfolio, although a worker is killed during the run', async () => {
    const { child, stderr } = startExample(portfolio, output);
    const isMiddle = (): boolean => existsSync(output) && statSync(output).size > MIDDLE_BYTES;
    await eventually('results in the middle of the run', STEP_MS, isMiddle, stderr);
    await first.end('SIGKILL');
    expect(child.exitCode).toBeNull();
    await startWorker();
    if (child.exitCode === null) await once(child, 'exit');

    expect([child.exitCode, stderr()]).toEqual([1, expect.stringMatching(/^run .*\n$/)]);
    const good = allLines.filter((line) => !isBroken(line) && !isRefused(line));
    const results = readLines<{ id: string | number; schedule: readonly object[] }>(output);
    const ids = good.map((line) => String(idOf(line)));
    expect(results.map(({ id }) => String(id)).toSorted()).toEqual(ids.toSorted());
    expect(results.every(({ schedule }) => schedule.length === ROWS)).toBe(true);

    const failures = readLines<Failure>(`${output}.failures.ndjson`).toSorted((a, b) => a.line - b.line);
    const expected = allLines.flatMap((line): unknown[][] => {
      if (isBroken(line)) return [[line, undefined, 'malformed-line']];
      return isRefused(line) ? [[line, idOf(line), 'invalid-request']] : [];
    });
    expect(failures.map(({ line, id, problem }) => [line, id, problem.code])).toEqual(expected);
    // The digits of amounts are kept as the engine writes them.
    expect(readFileSync(output, 'utf8').split('\n', 1)[0]).toMatch(/"RemainingValue":\d+\.00,/);
  });
});
