import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

const NAME = 'plat-tail';
const VERSION = 0;
const NO_USER_DATA = Buffer.alloc(0);

/** Assigns everything, or the one partition of each topic, to the only member of the group. */
export function tailAssigner(only: number | undefined): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
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
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode({ version: VERSION, topics, userData: NO_USER_DATA }),
    }),
  });
}
