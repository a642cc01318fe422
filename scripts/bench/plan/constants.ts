/**
 * The constants of the scaling model (docs/scale.md).
 *
 * Measured by `npm run bench -- --only scaling --seconds 12` with the Kafka client kafkajs: a virtual x86-64 machine with two cores
 * and nothing else on it, Node 24.21, Kafka 4.3.1 with Java's first-tier compiler. Processor time is that of the kernel for each
 * process (user and system), divided by the number of units. A contract is a loan of sixty months with the effective rate, sent
 * by `npm run recalculate` from NDJSON to CSV in batches of 100. A call comes over HTTP with 64 others in flight: twelve rows
 * with DAE. A replica costs half the difference between the brokers of three nodes and of one. That of a call is an upper
 * bound: three nodes on two cores answer 800 calls a second, of which few share a request between brokers.
 */

import type { Machines, UnitCost } from './model.ts';

export const COSTS = {
  contract: {
    requesterUs: 107,
    workerUs: 191,
    brokerUs: 49,
    replicaUs: 116,
    requestBytes: 116,
    replyBytes: 901,
    requestHours: 168,
    brokerSystemCalls: 0.31,
  },
  schedule: {
    requesterUs: 418,
    workerUs: 302,
    brokerUs: 206,
    replicaUs: 552,
    requestBytes: 375,
    replyBytes: 994,
    requestHours: 24,
    brokerSystemCalls: 3,
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
