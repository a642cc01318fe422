import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import kafkajs, { type Consumer, type EachBatchPayload, Partitioners } from 'kafkajs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startLocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { type KafkaScope, openKafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip, registryOrSkip } from '../support/kafka/suite.ts';

/**
 * kafkajs 2.2.4 uses protocol versions of 2019, and Kafka 4.0 removed many old ones (KIP-896). These tests make each call
 * that the project relies on once, on the broker of the other suites.
 */
const { kafka, suite } = kafkaOrSkip();
const SETTLED = { timeout: 20_000, interval: 50 };

suite('kafkajs on Apache Kafka 4', () => {
  let scope: KafkaScope;
  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
  });
  afterAll(() => scope.close());

  it('creates a topic with its settings once, and reports an existing one', async () => {
    const configEntries = [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'max.message.bytes', value: '8388608' },
    ];
    const topic = await scope.createTopic('settings', { numPartitions: 12, configEntries });
    expect(await scope.admin.createTopics({ topics: [{ topic, numPartitions: 12 }] })).toBe(false);
    const { topics } = await scope.admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions).toHaveLength(12);
    const { resources } = await scope.admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: topic,
          configNames: ['cleanup.policy', 'max.message.bytes'],
        },
      ],
    });
    const entries = resources[0]?.configEntries.map((entry) => [entry.configName, entry.configValue]);
    expect(Object.fromEntries(entries ?? [])).toEqual({
      'cleanup.policy': 'compact',
      'max.message.bytes': '8388608',
    });
  });

  it('does not create a topic if a client requests its metadata', async () => {
    const asked = scope.admin.fetchTopicMetadata({ topics: [scope.nameOf('never-made')] });
    await expect(asked).rejects.toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
    expect(await scope.admin.listTopics()).not.toContain(scope.nameOf('never-made'));
  });

  it('stores keys, binary headers, repeated headers and a message of 7 MiB unchanged', async () => {
    const topic = await scope.createTopic('bytes', { numPartitions: 1 });
    const producer = await connectProducer(scope);
    const correlation = Buffer.from([0, 255, 128, 10]);
    const large = Buffer.alloc(7 * 1_024 * 1_024, 7);
    await producer.send({
      topic,
      acks: -1,
      messages: [
        { key: 'a', value: 'first', headers: { kafka_correlationId: correlation, twice: ['1', '2'] } },
        { key: 'b', value: large },
      ],
    });
    const { consumer, received } = await readAll(scope, topic);
    await vi.waitFor(() => expect(received).toHaveLength(2), SETTLED);
    expect(received[0]?.headers?.['kafka_correlationId']).toEqual(correlation);
    expect(received[0]?.headers?.['twice']).toEqual([Buffer.from('1'), Buffer.from('2')]);
    expect(received[1]?.value?.equals(large)).toBe(true);
    await Promise.all([consumer.disconnect(), producer.disconnect()]);
  });

  it('immediately rejects a message above 8 MiB with MESSAGE_TOO_LARGE', async () => {
    const topic = await scope.createTopic('too-large');
    const producer = await connectProducer(scope);
    const sent = producer.send({ topic, acks: -1, messages: [{ value: Buffer.alloc(9_000_000) }] });
    await expect(sent).rejects.toBeInstanceOf(kafkajs.KafkaJSProtocolError);
    await expect(sent).rejects.toMatchObject({ type: 'MESSAGE_TOO_LARGE' });
    await producer.disconnect();
  });

  it('shares partitions with a new member, which continues from the committed offsets', async () => {
    const topic = await scope.createTopic('group', { numPartitions: 4 });
    const groupId = scope.nameOf('group');
    const seen: string[] = [];
    const producer = await connectProducer(scope);
    const first = await startMember(scope, groupId, topic, seen);
    await producer.send({ topic, messages: numbered(0, 40) });
    await vi.waitFor(() => expect(seen).toHaveLength(40), SETTLED);

    const second = await startMember(scope, groupId, topic, seen);
    await vi.waitFor(() => {
      expect(first.partitions).toHaveLength(2);
      expect(second.partitions).toHaveLength(2);
    }, SETTLED);
    const { groups } = await scope.admin.describeGroups([groupId]);
    expect(groups[0]).toMatchObject({ state: 'Stable', members: { length: 2 } });
    await producer.send({ topic, messages: numbered(40, 80) });
    await vi.waitFor(() => expect(seen).toHaveLength(80), SETTLED);

    await first.consumer.disconnect();
    await vi.waitFor(() => expect(second.partitions).toHaveLength(4), SETTLED);
    await producer.send({ topic, messages: numbered(80, 100) });
    await vi.waitFor(() => expect(seen).toHaveLength(100), SETTLED);
    await second.consumer.disconnect();
    await producer.disconnect();

    expect(new Set(seen).size, 'nothing twice after orderly leaves').toBe(100);
    const [committed] = await scope.admin.fetchOffsets({ groupId, topics: [topic] });
    const ends = await scope.admin.fetchTopicOffsets(topic);
    expect(byPartition(committed?.partitions)).toEqual(byPartition(ends));
  });
});

const registry = registryOrSkip();

registry.suite('the schema registry for Kafka', () => {
  const subject = `plat.test.Amount${Date.now()}`;
  it('registers an Avro schema once, and another client decodes by its id', async () => {
    const { id } = await registryClient().register(amount([]), { subject });
    expect((await registryClient().register(amount([]), { subject })).id).toBe(id);
    const message = await registryClient().encode(id, { value: Buffer.from([1, 44]) });
    expect([...message.subarray(0, 5)]).toEqual([0, ...int32(id)]);
    expect(await registryClient().decode(message)).toMatchObject({ value: Buffer.from([1, 44]) });
    expect(await registryClient().getLatestSchemaId(subject)).toBe(id);
  });

  it('accepts a compatible change, and rejects an incompatible one and an unknown id', async () => {
    const noted = { name: 'note', type: ['null', 'string'], default: null };
    const { id: first } = await registryClient().register(amount([]), { subject });
    const { id: second } = await registryClient().register(amount([noted]), { subject });
    expect(second).not.toBe(first);
    const breaking = registryClient().register(amount([{ name: 'mandatory', type: 'string' }]), { subject });
    await expect(breaking).rejects.toMatchObject({ status: 409 });
    await expect(registryClient().getSchema(999_999_999)).rejects.toMatchObject({ status: 404 });
  });
});

/** Only Kafka on the local Java has nodes that a test may kill. */
const localOnly = kafka.source === 'local' ? ['a local broker'] : [];

suite.each(localOnly)('%s', () => {
  it('restarts with its data after being killed', async () => {
    const own = await startLocalKafka({ registry: false });
    const scope = await openKafkaScope(own.brokers);
    try {
      const topic = await scope.createTopic('kept', { numPartitions: 1 });
      const producer = await connectProducer(scope);
      await producer.send({ topic, acks: -1, messages: numbered(0, 10) });
      await producer.disconnect();
      const node = own.nodes[0]!;
      const before = node.pid;
      await node.kill('SIGKILL');
      expect(isAlive(before)).toBe(false);
      await node.restart();
      expect(node.pid).not.toBe(before);
      await vi.waitFor(async () => {
        expect(await scope.admin.fetchTopicOffsets(topic)).toMatchObject([{ offset: '10' }]);
      }, SETTLED);
    } finally {
      await scope.close();
      await own.stop();
    }
    expect(existsSync(own.folder)).toBe(false);
  });

  it('stops with the command that started it, even if that is killed', async () => {
    const command = spawn(process.execPath, ['scripts/kafka.ts', '--no-registry', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: command.stdout }), 'line')) as [string];
    const { nodes, folder } = JSON.parse(line) as { nodes: { pid: number }[]; folder: string };
    expect(isAlive(nodes[0]!.pid)).toBe(true);
    command.kill('SIGKILL');
    await vi.waitFor(() => {
      expect(isAlive(nodes[0]!.pid)).toBe(false);
      expect(existsSync(folder)).toBe(false);
    }, SETTLED);
  });
});

/** A new client for each call, so that the answer comes from the registry and not from a cache. */
function registryClient(): SchemaRegistry {
  return new SchemaRegistry({ host: registry.kafka.registryUrl });
}

function amount(extra: readonly object[]) {
  const decimal = { type: 'bytes', logicalType: 'decimal', precision: 18, scale: 2 };
  const fields = [{ name: 'value', type: decimal }, ...extra];
  const schema = { type: 'record', name: 'Amount', namespace: 'plat.test', fields };
  return { type: SchemaType.AVRO as const, schema: JSON.stringify(schema) };
}

function byPartition(offsets: readonly { partition: number; offset: string }[] = []) {
  return Object.fromEntries(offsets.map((one) => [one.partition, one.offset]));
}

async function connectProducer(scope: KafkaScope) {
  const producer = scope.createClient().producer({
    idempotent: false,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  return producer;
}

function numbered(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => ({ key: `k${index}`, value: String(from + index) }));
}

async function readAll(scope: KafkaScope, topic: string) {
  const received: EachBatchPayload['batch']['messages'] = [];
  const consumer = scope.createClient().consumer({
    groupId: scope.nameOf(`read-${topic}`),
    maxWaitTimeInMs: 250,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => void received.push(...batch.messages),
  });
  return { consumer, received };
}

interface Member {
  readonly consumer: Consumer;
  partitions: readonly number[];
}

/** A group member without automatic commits, as in the message runtime. */
async function startMember(
  scope: KafkaScope,
  groupId: string,
  topic: string,
  seen: string[],
): Promise<Member> {
  const consumer = scope.createClient().consumer({
    groupId,
    sessionTimeout: 6_000,
    heartbeatInterval: 500,
    rebalanceTimeout: 30_000,
    maxWaitTimeInMs: 250,
  });
  const member: Member = { consumer, partitions: [] };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    member.partitions = payload.memberAssignment[topic] ?? [];
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 4,
    eachBatch: async (payload) => {
      const { batch } = payload;
      for (const message of batch.messages) {
        seen.push(String(message.value));
        payload.resolveOffset(message.offset);
      }
      const offset = String(BigInt(batch.lastOffset()) + 1n);
      await consumer.commitOffsets([{ topic, partition: batch.partition, offset }]);
      await payload.heartbeat();
    },
  });
  return member;
}

function int32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return [...bytes];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
