import { createRequire } from 'node:module';
import { AssignerProtocol } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import {
  ASSIGNOR,
  assignInTurn,
  decodeAssignment,
  encodeSubscription,
} from '../../../../../../shared/messaging/kafka/platformatic/consuming/group-protocol.ts';

interface Assigner {
  readonly name: string;
  assign(group: object): Promise<{ memberId: string; memberAssignment: Buffer }[]>;
  protocol(subscription: { topics: string[] }): { metadata: Buffer };
}

const require = createRequire(import.meta.url);
const makeAssigner = require('kafkajs/src/consumer/assigners/roundRobinAssigner') as (
  options: object,
) => Assigner;
const COUNTS = new Map([
  ['a', 5],
  ['b', 3],
]);
const roundRobin = makeAssigner({
  cluster: {
    findTopicPartitionMetadata: (topic: string) =>
      Array.from({ length: COUNTS.get(topic) ?? 0 }, (_, partitionId) => ({ partitionId })),
  },
});

/** Partitions by member, as text. */
function divided(members: readonly { memberId: string; metadata: Buffer }[], counts = COUNTS) {
  return Object.fromEntries(
    assignInTurn(members, counts).map(({ memberId, assignment }) => [
      memberId,
      decodeAssignment(assignment).map(({ topic, partition }) => `${topic}${partition}`),
    ]),
  );
}

describe('members of both Kafka clients in one group', () => {
  it('have the same assignor, and read the subscriptions of each other', () => {
    expect(ASSIGNOR).toBe(roundRobin.name);
    const { topics, version } = AssignerProtocol.MemberMetadata.decode(encodeSubscription(['a', 'b'])) ?? {};
    expect([topics, version]).toEqual([['a', 'b'], 0]);
    const { metadata } = roundRobin.protocol({ topics: ['a', 'b'] });
    expect(divided([{ memberId: 'm', metadata }])).toEqual({
      m: ['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1', 'b2'],
    });
  });

  it('divide the partitions equally, and read the assignments of each other', async () => {
    const members = ['m-3', 'm-1', 'm-2'].map((memberId) => ({
      memberId,
      metadata: encodeSubscription(['a', 'b']),
    }));
    const byKafkajs = await roundRobin.assign({ members, topics: ['a', 'b'] });
    const own = assignInTurn(members, COUNTS);
    for (const { memberId, memberAssignment } of byKafkajs) {
      const { assignment = Buffer.alloc(0) } = own.find((one) => one.memberId === memberId) ?? {};
      expect(decodeAssignment(memberAssignment)).toEqual(decodeAssignment(assignment));
      const decoded = AssignerProtocol.MemberAssignment.decode(assignment);
      expect(decoded).toEqual(AssignerProtocol.MemberAssignment.decode(memberAssignment));
    }
  });
});

describe('assignInTurn()', () => {
  it('assigns a topic only to members that read it', () => {
    const members = [
      { memberId: 'both', metadata: encodeSubscription(['a', 'b']) },
      { memberId: 'only-b', metadata: encodeSubscription(['b']) },
      { memberId: 'other', metadata: encodeSubscription(['c']) },
    ];
    expect(divided(members)).toEqual({
      both: ['a0', 'a1', 'a2', 'a3', 'a4', 'b1'],
      'only-b': ['b0', 'b2'],
      other: [],
    });
  });
});

describe('decodeAssignment()', () => {
  it('returns no partitions for the empty assignment that kafkajs sends to members without one', () => {
    expect(decodeAssignment(Buffer.alloc(0))).toEqual([]);
  });
});
