import { readFileSync } from 'node:fs';
import { ConnectionPool, findCoordinatorV3, FindCoordinatorKeyTypes, parseBroker } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { placed } from '../support/conformance/world.ts';
import { sharedCluster, startOrSkip } from '../support/kafka/cluster.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { createKafkaBroker, TESTED_CLIENTS } from '../support/kafka/broker.ts';

const SECOND = 1_000;
const STEP_MS = 30 * SECOND;
const PARTITIONS = 12;
/** Number of partitions that move to another leader at a time, and number of moves. */
const MOVED_AT_ONCE = 3;
const MOVES = 6;
/** The cluster removes a silent broker after 9 s; the client also needs time to notice, to connect and to rejoin. */
const LEADERLESS_MS = 30 * SECOND;
/** The cluster replaces a silent broker after 3 s; if it was the active controller, a busy machine takes much longer. */
const TAKEOVER_MS = 60 * SECOND;
/** From then on: requests to a frozen broker end after 5 s. */
const JOIN_MS = 15 * SECOND;
const OFFSETS_TOPIC = '__consumer_offsets';
/** A long interval, so that many delivered messages are not committed yet. */
const COMMIT_BEHIND = 40;

const cluster = await startOrSkip(sharedCluster, 'what breaks a cluster');
const suite = cluster === undefined ? describe.skip : describe;

let scope: KafkaScope;
/** What reads and administrates, in the same way with each client. */
let broker: KafkaBroker;
let publishing: readonly KafkaBroker[];

beforeAll(async () => {
  if (cluster === undefined) return;
  scope = await openKafkaScope(cluster.brokers);
  const options = { brokers: cluster.brokers, clientId: 'failures-test', log: silentLog };
  broker = createKafkaBroker(options);
  publishing = TESTED_CLIENTS.map((client) => createKafkaBroker(options, client));
});
afterAll(async () => {
  if (cluster === undefined) return;
  await untilInSync();
  await Promise.all([broker, ...publishing].map((one) => one.close()));
  await scope.close();
});

function consumerOf(by: KafkaBroker, topic: string, receive?: (message: LogMessage) => unknown): Consumer {
  const createSource = () => by.createGroupSource({ groupId: topic, clientId: topic, topics: [topic] });
  const process = (message: LogMessage) => {
    receive?.(message);
    return 'settled' as const;
  };
  return new Consumer({ ...systemPorts, createSource, process, log: silentLog });
}

async function startPublishers(deadlineMs: number): Promise<readonly Publisher[]> {
  const publishers = publishing.map((one) => one.createPublisher({ clientId: 'failures', deadlineMs }));
  await Promise.all(publishers.map((publisher) => publisher.start()));
  return publishers;
}

/** Records each generation in which a partition does not continue where the group's commits ended. */
function lateCommitter(group: string, topic: string, committed: Map<number, number>) {
  const source = broker.createGroupSource({ groupId: group, clientId: group, topics: [topic] });
  const seen = new Set<string>();
  const skipped: string[] = [];
  const positions = new Map<number, number>();
  let epoch = 0;
  const take = (messages: readonly LogMessage[]) => {
    const { partition, offset } = messages[0] ?? { partition: 0, offset: 0 };
    const expected = positions.get(partition) ?? committed.get(partition) ?? 0;
    if (offset > expected) skipped.push(`epoch ${epoch}: ${partition} at ${offset}, not ${expected}`);
    for (const { value } of messages) seen.add(String(value));
    positions.set(partition, offset + messages.length);
  };
  const commit = async () => {
    const due = [...positions].map(([partition, at]) => ({ topic, partition, offset: at - COMMIT_BEHIND }));
    const offsets = due.filter(({ partition, offset }) => offset > (committed.get(partition) ?? 0));
    for (const { partition, offset } of offsets) committed.set(partition, offset);
    await source.commit(epoch, offsets).catch(() => false);
  };
  const timer = setInterval(() => void commit(), 150);
  const start = () =>
    source.start({
      onAssigned: (next) => {
        epoch = next;
        positions.clear();
      },
      onRevoking: () => undefined,
      onMessages: (_, messages) => take(messages),
      onCrash: () => undefined,
    });
  const stop = async () => {
    clearInterval(timer);
    await source.stop();
  };
  return { start, stop, seen, skipped, generations: () => epoch };
}

/** Moves the leadership of some partitions to other brokers; there are no followers, so consumers get errors. */
async function moveLeaders(topic: string, round: number): Promise<void> {
  const { topics } = await scope.admin.fetchTopicMetadata({ topics: [topic] });
  const leaders = new Map(topics[0]?.partitions.map(({ partitionId, leader }) => [partitionId, leader]));
  const partitionAssignment = Array.from({ length: MOVED_AT_ONCE }, (_, index) => {
    const partition = (round * MOVED_AT_ONCE + index) % PARTITIONS;
    return { partition, replicas: [((leaders.get(partition) ?? 0) % 3) + 1] };
  });
  await scope.admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
}

suite('a cluster whose leaders move', { timeout: 90 * SECOND }, () => {
  test('does not skip, in the next generation, messages that were delivered but not committed', async () => {
    const topic = scope.nameOf('moving');
    await broker.admin.createTopics([
      { topic, partitions: PARTITIONS, replicationFactor: 1, config: { 'min.insync.replicas': '1' } },
    ]);
    const committed = new Map<number, number>();
    const createMember = () => lateCommitter(topic, topic, committed);
    const members = [createMember(), createMember()];
    await Promise.all(members.map((member) => member.start()));
    const publishers = await startPublishers(STEP_MS);
    const sent: Promise<string>[] = [];
    const load = setInterval(() => {
      for (const [index, publisher] of publishers.entries()) {
        for (let count = 0; count < 2; count += 1) {
          const key = `v${sent.length}-${index}`;
          sent.push(publisher.publish([{ topic, key, value: Buffer.from(key) }]).then(() => key));
        }
      }
    }, 10);
    for (let round = 0; round < MOVES; round += 1) {
      await sleep(1_500);
      await moveLeaders(topic, round);
      // The group rebalances.
      const joining = createMember();
      members.push(joining);
      await joining.start();
    }
    await sleep(1_500);
    clearInterval(load);
    const values = await Promise.all(sent);
    const missing = () => values.filter((value) => members.every(({ seen }) => !seen.has(value)));
    await eventually('every message', STEP_MS, () => missing().length === 0);
    expect(members.flatMap(({ skipped }) => skipped)).toEqual([]);
    expect(members[0]?.generations()).toBeGreaterThan(MOVES);
    await Promise.all([...members, ...publishers].map((one) => one.stop()));
  });
});

/** SIGSTOP takes effect with a delay, in which the broker may still answer. */
function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}

/** The cluster survives one silent broker, not two, and a topic created meanwhile has fewer replicas. */
async function untilInSync(): Promise<void> {
  const { brokers = [] } = cluster ?? {};
  let behind: readonly object[] = [];
  const check = async (): Promise<boolean> => {
    const { topics } = await scope.admin.fetchTopicMetadata({ topics: [OFFSETS_TOPIC] });
    const partitions = topics.flatMap((topic) => topic.partitions);
    behind = partitions.filter(({ isr, leader }) => isr.length < brokers.length || leader < 0);
    return behind.length === 0;
  };
  await eventually('all replicas in sync', STEP_MS, check, () => behind);
}

/** The address of the coordinator of a group, as one of these brokers knows it; undefined while there is none. */
async function coordinatorOf(groupId: string, brokers: readonly string[]): Promise<string | undefined> {
  const connections = new ConnectionPool('coordinator-test');
  const { GROUP } = FindCoordinatorKeyTypes;
  try {
    const { coordinators } = await Promise.any(
      brokers.map(async (address) => {
        const connection = await connections.get(parseBroker(address));
        return findCoordinatorV3.api.async(connection, GROUP, [groupId]);
      }),
    );
    const [found] = coordinators;
    return found?.errorCode === 0 ? `${found.host}:${found.port}` : undefined;
  } catch {
    return undefined;
  } finally {
    for (const [, connection] of connections) connection.socket?.destroy();
  }
}

suite('a broker that stops responding', { timeout: 90 * SECOND }, () => {
  test('makes a publish reject with send-unknown, and the publisher recovers', async () => {
    const topic = scope.nameOf('frozen');
    await broker.admin.createTopics([
      { topic, partitions: 3, replicationFactor: 1, config: { 'min.insync.replicas': '1' } },
    ]);
    const publishers = await startPublishers(2 * SECOND);
    const message = (value: string) => [0, 1, 2].map((partition) => placed(topic, partition, value));
    await Promise.all(publishers.map((publisher) => publisher.publish(message('before'))));
    const pids = cluster?.nodes.map(({ pid }) => pid) ?? [];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await eventually('suspended brokers', STEP_MS, () => pids.every(isStopped));
      const startedAt = performance.now();
      for (const end of await Promise.allSettled(publishers.map((one) => one.publish(message('doubt'))))) {
        expect(end).toMatchObject({ status: 'rejected', reason: { code: 'send-unknown', canRetry: true } });
      }
      expect(performance.now() - startedAt).toBeLessThan(3 * SECOND);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    for (const publisher of publishers) {
      await eventually('a publish that succeeds', STEP_MS, () =>
        publisher.publish(message('after')).then(
          () => true,
          () => false,
        ),
      );
      expect(publisher.isHealthy()).toBe(true);
    }
    await Promise.all(publishers.map((publisher) => publisher.stop()));
  });

  test('delays its partitions only until they have another leader', async () => {
    const topic = scope.nameOf('one-frozen');
    await untilInSync();
    await broker.admin.createTopics([{ topic, partitions: PARTITIONS }]);
    const done = new Set<string>();
    const consumer = consumerOf(broker, topic, ({ value }) => done.add(String(value)));
    await consumer.start();
    const publishers = await startPublishers(STEP_MS);
    const everywhere = async (text: string): Promise<boolean> => {
      const sends = publishers.map((publisher, index) => {
        const values = Array.from({ length: PARTITIONS }, (_, partition) => `${text}-${index}-${partition}`);
        const messages = values.map((value, partition) => placed(topic, partition, value));
        return publisher.publish(messages).then(() => values);
      });
      const values = (await Promise.all(sends)).flat();
      await eventually(`all values of ${text}`, LEADERLESS_MS, () =>
        values.every((value) => done.has(value)),
      );
      return true;
    };
    await everywhere('before');
    const pid = cluster?.nodes[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await everywhere('meanwhile')).toBe(true);
      process.kill(pid, 'SIGCONT');
      expect(await everywhere('after')).toBe(true);
    } finally {
      process.kill(pid, 'SIGCONT');
      await Promise.all([consumer, ...publishers].map((one) => one.stop()));
    }
  });

  test(
    'does not keep a member from a coordinator that has taken over its group',
    { timeout: 120 * SECOND },
    async () => {
      const topic = scope.nameOf('frozen-coordinator');
      await untilInSync();
      await broker.admin.createTopics([{ topic, partitions: PARTITIONS }]);
      const groupId = topic;
      const coordinator = await coordinatorOf(groupId, cluster?.brokers ?? []);
      const silent = cluster?.nodes.find((node) => node.broker === coordinator);
      const others = (cluster?.nodes ?? []).filter((node) => node !== silent).map((node) => node.broker);
      expect(others).toHaveLength(2);
      const observer = createKafkaBroker({ brokers: others, clientId: 'joining-test', log: silentLog });
      const consumer = consumerOf(observer, topic);
      const hasTakenOver = async (): Promise<boolean> =>
        others.includes((await coordinatorOf(groupId, others)) ?? '');
      const pid = silent?.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      try {
        // The cluster does not know yet that the coordinator is silent, so that the first attempt to join is sent to it.
        let refusal: unknown;
        consumer.start().catch((error: unknown) => (refusal = error));
        await eventually('another coordinator', TAKEOVER_MS, hasTakenOver);
        const isAssigned = (): boolean => consumer.stats().partitions === PARTITIONS;
        await eventually('an assignment', JOIN_MS, isAssigned, () => ({ refusal: String(refusal) }));
      } finally {
        process.kill(pid, 'SIGCONT');
        await Promise.all([consumer.stop(), observer.close()]);
      }
    },
  );
});
