/**
 * The constants of the scaling model (docs/scale.md).
 *
 * Measured by the steps of `npm run bench -- --only scaling`, in windows of three seconds, with the Kafka client kafkajs: a virtual
 * x86-64 machine with two cores beside some 30 other busy processes, Node 24.21, Kafka 4.3.1 with Java's first-tier compiler.
 * Processor time is that of the kernel for each process (user and system), divided by the number of units; on a quiet machine it
 * is about two thirds. A contract is a loan of sixty months with the effective rate, sent by `npm run recalculate` from NDJSON to
 * CSV in batches of 100. A call comes over HTTP with 64 others in flight: twelve rows with DAE. The replica of a contract is
 * half the difference between the brokers of three nodes and of one; that of a call is taken to cost as much as the leader,
 * because three nodes on this machine answered too few calls to tell.
 */

import type { Machines, UnitCost } from './model.ts';

export const COSTS = {
  contract: {
    requesterUs: 133,
    workerUs: 259,
    brokerUs: 63,
    replicaUs: 198,
    requestBytes: 116,
    replyBytes: 901,
    requestHours: 168,
    brokerSystemCalls: 0.3,
  },
  schedule: {
    requesterUs: 493,
    workerUs: 328,
    brokerUs: 333,
    replicaUs: 333,
    requestBytes: 438,
    replyBytes: 1_013,
    requestHours: 24,
    brokerSystemCalls: 4.8,
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
