import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import kafkajs from 'kafkajs';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KafkajsConnections } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import { correctKafkajs } from '../../../../shared/messaging/kafka/kafkajs-corrections.ts';
import { listenOnFreePort } from '../../../support/free-port.ts';

const require = createRequire(import.meta.url);
beforeAll(correctKafkajs);

test('idle connections set a timer only while a request is queued', () => {
  const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => {
    checkPendingRequests(): void;
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const logger = { debug: () => undefined };
  const queue = new RequestQueue({ logger, requestTimeout: 1_000, maxInFlightRequests: 0 });
  queue.checkPendingRequests();
  expect(vi.getTimerCount()).toBe(0);
  Object.assign(queue, { pending: [{}] });
  queue.checkPendingRequests();
  expect(vi.getTimerCount()).toBe(1);
});

test('a fetch of a stopped consumer fails, so that its fetcher ends instead of repeating it', async () => {
  const { prototype } = require('kafkajs/src/consumer/runner') as {
    prototype: { fetch(this: object, nodeId: string): Promise<unknown> };
  };
  await expect(prototype.fetch.call({ running: false }, '1')).rejects.toThrow('the consumer is stopped');
});

const answerWith = (partitionErrorCode: number) => ({
  topicMetadata: [{ topicErrorCode: 0, partitionMetadata: [{ partitionErrorCode, leader: -1 }] }],
});

test('a partition without a leader does not fail the metadata of the others', async () => {
  for (const version of [1, 5, 6]) {
    const { parse } = require(`kafkajs/src/protocol/requests/metadata/v${version}/response`) as {
      readonly parse: (answer: object) => Promise<object>;
    };
    await expect(parse(answerWith(5))).resolves.toBeDefined();
    await expect(parse(answerWith(3))).rejects.toThrow('does not host');
  }
});

function useClocks() {
  let [elapsedMs, offsetMs] = [1_000, Date.UTC(2026, 10, 28)];
  vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  vi.spyOn(Date, 'now').mockImplementation(() => elapsedMs + offsetMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return { setBack: () => (offsetMs -= 3_600_000), pass: (ms: number) => (elapsedMs += ms) };
}

describe('a system clock that is set back by an hour', () => {
  test('does not delay the heartbeats of a group member', async () => {
    const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => {
      heartbeat(options: { interval: number }): Promise<void>;
    };
    const clocks = useClocks();
    const heartbeat = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const logger = { namespace: () => logger };
    const group = new ConsumerGroup({ logger, instrumentationEmitter: { emit: () => undefined } });
    Object.assign(group, { coordinator: { heartbeat }, memberId: 'a' });
    // As another client in the same process does.
    correctKafkajs();
    clocks.setBack();
    await group.heartbeat({ interval: 900 });
    clocks.pass(900);
    await group.heartbeat({ interval: 900 });
    clocks.pass(100);
    await group.heartbeat({ interval: 900 });
    expect(heartbeat).toHaveBeenCalledTimes(1);
  });

  test('does not extend the throttling of a connection', () => {
    const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => {
      maybeThrottle(ms: number): void;
      canSendSocketRequestImmediately(): boolean;
    };
    const clocks = useClocks();
    const queue = new RequestQueue({ logger: { debug: () => undefined } });
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
    queue.maybeThrottle(500);
    clocks.setBack();
    expect(queue.canSendSocketRequestImmediately()).toBe(false);
    clocks.pass(500);
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
  });

  test('does not postpone the next refresh of metadata', async () => {
    const BrokerPool = require('kafkajs/src/cluster/brokerPool') as new (options: object) => {
      refreshMetadataIfNecessary(topics: readonly string[]): Promise<void>;
    };
    const clocks = useClocks();
    const logger = { namespace: () => logger };
    const connectionPoolBuilder = { build: () => ({}) };
    const pool = new BrokerPool({ logger, connectionPoolBuilder });
    let refreshes = 0;
    const refreshMetadata = () => {
      refreshes += 1;
      Object.assign(pool, { metadata: { topicMetadata: [] }, metadataExpireAt: Date.now() + 10_000 });
      return Promise.resolve();
    };
    Object.assign(pool, { refreshMetadata });
    await pool.refreshMetadataIfNecessary([]);
    clocks.setBack();
    clocks.pass(9_000);
    await pool.refreshMetadataIfNecessary([]);
    expect(refreshes).toBe(1);
    clocks.pass(1_001);
    await pool.refreshMetadataIfNecessary([]);
    expect(refreshes).toBe(2);
  });
});

async function silentServers(count: number) {
  const accepted = Array.from({ length: count }, () => 0);
  const addresses = accepted.map(async (_, index) => {
    const server = createServer((socket) => {
      accepted[index] = (accepted[index] ?? 0) + 1;
      socket.on('error', () => undefined).resume();
    });
    onTestFinished(() => void server.close());
    return `127.0.0.1:${await listenOnFreePort(server)}`;
  });
  return { accepted, brokers: await Promise.all(addresses) };
}

describe('a broker that accepts connections and never answers', () => {
  test('is not the only one to which a client tries to connect', async () => {
    const { accepted, brokers } = await silentServers(3);
    const connections = new KafkajsConnections();
    const times = { requestTimeout: 50, connectionTimeout: 1_000, enforceRequestTimeout: true };
    const retry = { retries: 2, initialRetryTime: 1, maxRetryTime: 1 };
    const { createSocket: socketFactory } = connections;
    const logLevel = kafkajs.logLevel.NOTHING;
    const options = { clientId: 'silent', brokers, retry, socketFactory, logLevel };
    const kafka = new kafkajs.Kafka({ ...options, ...times });
    onTestFinished(() => connections.destroy());
    await expect(kafka.admin().connect()).rejects.toThrow('timed out');
    expect(accepted).toEqual([1, 1, 1]);
  });

  test('gets no request to join a group', async () => {
    const { prototype } = require('kafkajs/src/broker') as {
      prototype: { joinGroup(this: object, join: object): Promise<unknown> };
    };
    const silent = { apiVersions: () => Promise.reject(new Error('the request timed out')) };
    await expect(prototype.joinGroup.call(silent, {})).rejects.toThrow('the request timed out');
  });
});
