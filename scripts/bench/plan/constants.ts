/**
 * The constants of the scaling model (docs/scale.md).
 *
 * Processor time, bytes and system calls are those of `npm run bench -- --only scale` with the Kafka client kafkajs: a virtual
 * x86-64 machine with two cores, Node 24.21, Kafka 4.3.1 with Java's first-tier compiler, all processes on it. Processor time
 * is that of the kernel for each process (user and system), divided by the number of units; a replica is the difference between
 * the brokers of three nodes and those of one node, divided by two. A contract is a loan of sixty months with the effective
 * rate in batches of 100 on the bulk lane, and its requester is the command `npm run recalculate` from NDJSON to CSV. A call
 * comes over HTTP with 64 others in flight.
 */

import type { Machines, UnitCost } from './model.ts';

export const COSTS = {
  contract: {
    requesterUs: 130,
    workerUs: 232,
    brokerUs: 57,
    replicaUs: 20,
    requestBytes: 110,
    replyBytes: 870,
    requestHours: 168,
    brokerSystemCalls: 0.5,
  },
  schedule: {
    requesterUs: 292,
    workerUs: 191,
    brokerUs: 147,
    replicaUs: 60,
    requestBytes: 500,
    replyBytes: 1_100,
    requestHours: 24,
    brokerSystemCalls: 4,
  },
} as const satisfies Readonly<Record<string, UnitCost>>;

/**
 * Machines of a data centre: four cores for a broker, a network of 1 Gbit/s, a disk that writes 200 MB/s. Half of a process's
 * thread stays free for garbage collection and for the share of others when one of them fails.
 */
export const MACHINES: Machines = {
  usedShare: 0.5,
  coresOfBroker: 4,
  networkBytesPerSecond: 125_000_000,
  diskBytesPerSecond: 200_000_000,
  replyHours: 1,
  replyBytesOfPartition: 512 * 1_024 * 1_024,
  partitions: 12,
};
