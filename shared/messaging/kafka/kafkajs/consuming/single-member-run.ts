import { randomUUID } from 'node:crypto';
import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import type { CreateKafkajsClient } from '../connection/client.ts';
import { KafkajsConsumerRun, type ConsumerRunListener } from './consumer-run.ts';

/** A group with one member has no other member that could take over, so a long session does no harm. */
const SESSION_TIMEOUT_MS = 30_000;
const REBALANCE_TIMEOUT_MS = 10_000;
/** A third of the session: a single member has no rebalance to notice, and its fetches show that it is connected. */
const HEARTBEAT_INTERVAL_MS = 10_000;
const ASSIGNER = 'plat-tail';
const VERSION = 0;
const NO_USER_DATA = Buffer.alloc(0);

interface SingleMemberOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** Only this partition of every topic; absent: all. */
  readonly partition?: number | undefined;
  /** Number of partitions. */
  readonly concurrency: number;
}

/**
 * Creates a consumer run as the only member of a new group, since kafkajs reads only as a group member. The group id is random
 * for each run, because the member of the previous run may not have left its group yet. The run never commits, so the broker
 * removes the group some minutes after its member has left (offsets.retention.check.interval.ms). The group is not deleted
 * here, because a killed process could not do so either.
 */
export function createSingleMemberRun(
  createClient: CreateKafkajsClient,
  { clientId, topics, partition, concurrency }: SingleMemberOptions,
  listener: ConsumerRunListener,
): KafkajsConsumerRun {
  const options = {
    clientId,
    groupId: `${clientId}.tail.${randomUUID()}`,
    topics,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
    heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
    concurrency,
    assigner: assignToSingleMember(partition),
  };
  return new KafkajsConsumerRun(createClient, options, listener);
}

/** Assigns all partitions, or one partition of each topic, to the only member of the group. */
function assignToSingleMember(only: number | undefined): PartitionAssigner {
  return ({ cluster }) => ({
    name: ASSIGNER,
    version: VERSION,
    assign: ({ members, topics }) => {
      const assignment = Object.fromEntries(
        topics.map((topic) => [
          topic,
          cluster
            .findTopicPartitionMetadata(topic)
            .map(({ partitionId }) => partitionId)
            .filter((partition) => only === undefined || partition === only),
        ]),
      );
      const memberAssignment = AssignerProtocol.MemberAssignment.encode({
        version: VERSION,
        assignment,
        userData: NO_USER_DATA,
      });
      return Promise.resolve(members.map(({ memberId }) => ({ memberId, memberAssignment })));
    },
    protocol: ({ topics }) => ({
      name: ASSIGNER,
      metadata: AssignerProtocol.MemberMetadata.encode({ version: VERSION, topics, userData: NO_USER_DATA }),
    }),
  });
}
