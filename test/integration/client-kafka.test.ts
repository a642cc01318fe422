import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectKafkaClient,
  decimalBytes,
  decimalText,
  type BulkRequest,
  type EngineKafkaClient,
  type NotificationOutcome,
} from '../../shared/client/kafka/kafka-client.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { PROOF_REQUEST, PROOF_TOTALS } from '../support/builders/schedule-call.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { registryOrSkip } from '../support/kafka/suite.ts';

const { kafka, suite } = registryOrSkip();
const ROOT = path.resolve(import.meta.dirname, '../..');
const STOP_MS = 10_000;
const COMMAND_LIMIT_MS = 60_000;
const OUTCOME_LIMIT_MS = 30_000;
/** Fills a message, so that a run has several in flight. */
const CONTRACTS = 950;

const PMT = {
  FinancedAmount: 1000,
  InterestPercent: 12,
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
};

suite('the client over Kafka', () => {
  let scope: KafkaScope;
  let folder: string;
  let engine: EngineKafkaClient;
  let system: RunningSystem;

  const connect = (replyTopic: string): Promise<EngineKafkaClient> =>
    connectKafkaClient({
      kafka: scope.createClient(),
      replyTopic: scope.nameOf(replyTopic),
      registry: new SchemaRegistry({ host: kafka.registryUrl }),
      topicPrefix: scope.prefix,
    });

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    folder = await mkdtemp(path.join(tmpdir(), 'plat-client-'));
    const env = {
      DATA_DIR: path.join(folder, 'data'),
      OUTBOX_FOLDER: path.join(folder, 'outbox'),
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      SCHEMA_REGISTRY_URL: kafka.registryUrl,
    };
    const config = loadConfig(env);
    const broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'client-test', log: silentLog });
    await broker.admin.createTopics(allTopicSpecs(scope.prefix, config.notification.retryTiersMs));
    await broker.close();
    const register = ['scripts/schemas.ts', 'register', '--registry', kafka.registryUrl];
    execFileSync(process.execPath, register, { cwd: ROOT, timeout: COMMAND_LIMIT_MS });
    system = await startWorkers({ config, names: ['schedule', 'notification'], log: silentLog });
    engine = await connect('client.replies.v1');
  });
  afterAll(async () => {
    await engine.close();
    await system.stop(STOP_MS);
    await scope.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('returns the reply of each of many requests at once to its caller', async () => {
    const amounts = Array.from({ length: 50 }, (_, index) => 1_000 + index);
    const answers = await Promise.all(
      amounts.map((FinancedAmount) =>
        engine.request('calculatePmt', { jsonParam: { ...PMT, FinancedAmount } }),
      ),
    );
    expect(answers.map(({ reply }) => reply.PrincipalValue)).toEqual(
      amounts.map((amount) => Math.round(amount * 25) / 100),
    );
    const { reply, warnings } = await engine.request('calculateRepaymentSchedule', {
      jsonParam: { ...PROOF_REQUEST, ContractPeriod: 6 },
    });
    expect(reply.map((row) => 'TotalInstallment' in row && row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(warnings).toEqual([{ code: 'no-effect', path: 'jsonParam.ContractPeriod' }]);
  });

  it('rejects with the problem of a refused request, in JSON and Avro', async () => {
    const request = { jsonParam: { ...PMT, InstallmentsNo: -1 } };
    const refused = { code: 'not-computable', status: 422, correlationId: 'loan-4711' };
    await expect(
      engine.request('calculatePmt', request, { correlationId: 'loan-4711' }),
    ).rejects.toMatchObject({ ...refused, faults: [{ path: 'jsonParam.InstallmentsNo' }] });
    const record = { ...PMT, InstallmentsNo: -1, FinancedAmount: null, InterestPercent: null };
    await expect(
      engine.requestRecord('calculatePmt', record, { correlationId: 'loan-4711' }),
    ).rejects.toMatchObject(refused);
  });

  it('sends records in Avro with the registry, exact to the last decimal', async () => {
    const record = {
      ...PMT,
      FinancedAmount: decimalBytes('1000', 18),
      InterestPercent: decimalBytes('12', 20),
    };
    const { reply } = await engine.requestRecord('calculatePmt', record);
    const { pmtValue } = reply as { pmtValue: Buffer };
    expect(decimalText(pmtValue, 18)).toBe('256.280000000000000000');
  });

  it('yields the result of each of many requests, in messages of a bounded number in flight', async () => {
    async function* contracts(): AsyncGenerator<BulkRequest<'calculatePmt'>> {
      for (let index = 0; index < CONTRACTS; index += 1) {
        yield { id: index, jsonParam: { ...PMT, FinancedAmount: index === 13 ? -1 : 1_000 + index } };
      }
    }
    const found = new Map<unknown, string | number | null>();
    for await (const { id, reply, problem } of engine.calculateMany('calculatePmt', contracts(), {
      messagesInFlight: 3,
    })) {
      found.set(id, problem === undefined ? reply.PrincipalValue : problem.code);
    }
    expect(found.size).toBe(CONTRACTS);
    expect(found.get(13)).toBe('not-computable');
    expect(found.get(949)).toBe(487.25);
  });

  it('recalculates the portfolio of the documents with their example', async () => {
    const example = path.join(ROOT, 'docs/examples/typescript-client/recalculate.ts');
    const portfolio = path.join(ROOT, 'docs/examples/portfolio.ndjson');
    const env = {
      KAFKA_BROKERS: kafka.brokers.join(','),
      REPLY_TOPIC: scope.nameOf('client.replies.v4'),
      TOPIC_PREFIX: scope.prefix,
    };
    const run = promisify(execFile)(process.execPath, [example, portfolio], {
      env,
      timeout: COMMAND_LIMIT_MS,
    });
    // Some contracts have faults, so the example exits with 1.
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const results = stdout
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { id?: unknown; line?: number; schedule?: unknown[]; problem?: unknown },
      );
    const calculated = results.filter(({ schedule }) => schedule !== undefined).map(({ id }) => id);
    expect(calculated).toEqual(['L-1001', 'L-1002', 'L-1003', 2004, 2006, 'L-1008']);
    expect(results.filter(({ problem }) => problem !== undefined)).toMatchObject([
      { line: 7, problem: { code: 'malformed-line' } },
      { id: 2005, problem: { code: 'invalid-request' } },
    ]);
  });

  it('sends a notification once for each id, and passes on its outcome', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<NotificationOutcome>();
    const stop = await engine.followOutcomes(
      { groupId: scope.nameOf('client.outcomes'), fromBeginning: true },
      (outcome) => (['sent', 'failed', 'parked'].includes(outcome.status) ? resolve(outcome) : undefined),
    );
    const sms = { receiver: '+40722123456', message: 'Your new account is ready.', sender: 'Bank' };
    const { notificationId } = await engine.sendSms(sms, { key: 'customer-17' });
    await engine.sendSms(sms, { key: 'customer-17', notificationId });
    const limit = new Promise<undefined>((giveUp) => setTimeout(giveUp, OUTCOME_LIMIT_MS, undefined).unref());
    expect(await Promise.race([ended, limit])).toMatchObject({
      notificationId,
      status: 'sent',
      channel: 'sms',
    });
    await stop();
  });

  it('ends with code timeout without a reply in time, and with the reason of the signal', async () => {
    const call = engine.request('simulate', { productCode: 'X' } as never, { timeoutMs: 300 });
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    const aborted = engine.request('simulate', {} as never, { signal: AbortSignal.abort(new Error('left')) });
    await expect(aborted).rejects.toThrow('left');
  });

  it('reads only what is committed', async () => {
    const topic = scope.nameOf('client.replies.v2');
    const client = await connect('client.replies.v2');
    const transactional = scope
      .createClient()
      .producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await transactional.connect();
    const transaction = await transactional.transaction();
    const aborted = { value: '{"PMTValue":1}', headers: { kafka_correlationId: 'loan-4711' } };
    await transaction.send({ topic, messages: [aborted] });
    const answer = client.request('calculatePmt', { jsonParam: PMT }, { correlationId: 'loan-4711' });
    await transaction.abort();
    expect((await answer).reply.PMTValue).toBe(256.28);
    await transactional.disconnect();
    await client.close();
  });

  it('ends what waits when it is closed, leaves no member in its group, and refuses later calls', async () => {
    const client = await connect('client.replies.v3');
    const waiting = client.request('simulate', {} as never).catch((error: unknown) => error);
    await client.close();
    expect(await waiting).toMatchObject({ code: 'closed' });
    await expect(client.request('calculatePmt', { jsonParam: PMT })).rejects.toMatchObject({
      code: 'closed',
    });
    const { groups } = await scope.admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((id) => id.includes('client.replies.v3'));
    const described = await scope.admin.describeGroups(own);
    expect(described.groups.flatMap(({ members }) => members)).toEqual([]);
  });
});
