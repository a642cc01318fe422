import { expect } from 'vitest';
import { numbered, placed, type ScenarioTest, type World } from '../../support/conformance/world.ts';
import type { MemberEvent, RecordingMember } from '../../support/conformance/member.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';

const SECOND = 1_000;
/** The time within which a wrong delivery would arrive. */
const QUIET_MS = 300;

export function groupScenarios(test: ScenarioTest): void {
  test('delivers each message once to a new group, from the earliest offset on', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    for (const key of ['a', 'b', 'c', 'd']) await publisher.publish(numbered(topic, key, 0, 10));
    const member = await world.member(world.name('group'), [topic], { commit: 'each' });
    await received(world, member, 40);
    await sleep(QUIET_MS);
    expect(member.messages).toHaveLength(40);
    expect(member.events[0]).toMatchObject({ kind: 'assigned' });
    expectOffsetsWithoutGap(member);
  });

  test('reads a partition without a commit from its beginning', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(2);
    const groupId = world.name('group');
    const first = await world.member(groupId, [topic], { commit: 'never' });
    await world.assigned([first], 2);
    await publisher.publish([0, 1].map((partition) => placed(topic, partition, `early-${partition}`)));
    await received(world, first, 2);
    await first.source.commit(first.epoch, [{ topic, partition: 0, offset: 1 }]);
    await first.source.stop(SECOND);
    await publisher.publish([0, 1].map((partition) => placed(topic, partition, `late-${partition}`)));
    const second = await world.member(groupId, [topic], { commit: 'each' });
    await received(world, second, 3);
    expect(second.values().toSorted()).toEqual(['early-1', 'late-0', 'late-1']);
  });

  test('reports the high watermark with each batch', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    await publisher.publish(numbered(topic, 'k', 0, 25));
    const member = await world.member(world.name('group'), [topic], { commit: 'never' });
    await received(world, member, 25);
    for (const event of member.events) if (event.kind === 'messages') expect(event.highWatermark).toBe(25);
  });

  test('delivers all messages to each group', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(2);
    const one = await world.member(world.name('group'), [topic], { commit: 'each' });
    const other = await world.member(world.name('group'), [topic], { commit: 'each' });
    await publisher.publish(numbered(topic, 'k', 0, 20));
    for (const member of [one, other]) await received(world, member, 20);
  });

  test('divides the partitions among members and reports each generation', async ({ world }) => {
    const topic = await world.topic(4);
    const groupId = world.name('group');
    const first = await world.member(groupId, [topic], { commit: 'each' });
    await world.assigned([first], 4);
    // Once each partition has been read, the leaders of the new topic no longer move, which would start another
    // generation.
    const publisher = await world.publisher();
    await publisher.publish([0, 1, 2, 3].map((partition) => placed(topic, partition)));
    await received(world, first, 4);
    const alone = first.epoch;
    const second = await world.member(groupId, [topic], { commit: 'each' });
    await world.assigned([first, second], 4);
    expect(second.assigned).toHaveLength(2);
    expect(first.epoch).toBeGreaterThan(alone);
    const kinds = first.events.filter((event) => event.kind === 'assigned' || event.kind === 'revoking');
    const revoked = kinds.findIndex((event) => event.kind === 'revoking' && event.epoch === alone);
    const assigned = kinds.findIndex((event) => event.kind === 'assigned' && event.epoch === first.epoch);
    expect(revoked).toBeGreaterThanOrEqual(0);
    expect(assigned).toBeGreaterThan(revoked);
    await second.source.stop(SECOND);
    await world.assigned([first], 4);
  });

  test('describes the members of groups, and how far each has read', async ({ world }) => {
    const { admin } = world.broker;
    const { topic, publisher } = await world.topicWithPublisher(2);
    const groupId = world.name('group');
    await publisher.publish([0, 0, 0, 0, 0, 1, 1, 1, 1, 1].map((partition) => placed(topic, partition)));
    const unknown = { groupId: world.name('unknown'), topics: [topic, 'conformance.absent'] };
    const ask = () => admin.groups([unknown, { groupId, topics: [topic] }]);
    const member = await world.member(groupId, [topic], { commit: 'never' });
    await received(world, member, 10);
    await member.source.commit(member.epoch, [{ topic, partition: 1, offset: 3 }]);
    const range = { topic, low: 0, high: 5 };
    const [absent, group] = await ask();
    const partitions = [0, 1].map((partition) => ({ ...range, partition }));
    expect(absent).toEqual({ groupId: unknown.groupId, state: 'empty', members: [], partitions });
    expect(group).toMatchObject({ groupId, state: 'stable' });
    expect(group?.partitions).toEqual([partitions[0], { ...partitions[1], committed: 3 }]);
    const assigned = [0, 1].map((partition) => ({ topic, partition }));
    expect(group?.members).toMatchObject([{ assigned }]);
    await member.source.stop(SECOND);
    const states = async () => (await ask()).map(({ state }) => state);
    const areEmpty = async () => (await states()).join() === 'empty,empty';
    await eventually('empty groups', world.target.stepMs, areEmpty);
  });

  test('accepts a commit in onRevoking, and drops a commit of an older generation', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    const groupId = world.name('group');
    await publisher.publish(numbered(topic, 'k', 0, 10));
    const lastCommits: Promise<boolean>[] = [];
    const first: RecordingMember = await world.member(groupId, [topic], {
      commit: 'never',
      onEvent: (event) => {
        if (event.kind !== 'revoking') return;
        lastCommits.push(first.source.commit(event.epoch, [{ topic, partition: 0, offset: 4 }]));
      },
    });
    await received(world, first, 10);
    const old = first.epoch;
    const second = await world.member(groupId, [topic], { commit: 'never' });
    await eventually('a new epoch', world.target.stepMs, () => first.epoch > old && second.epoch > 0);
    expect(await Promise.all(lastCommits)).toContain(true);
    expect(await first.source.commit(old, [{ topic, partition: 0, offset: 9 }])).toBe(false);
    const committed = () => world.broker.admin.committed(groupId, [topic]);
    expect(await committed()).toEqual([{ topic, partition: 0, offset: 4 }]);
    const owner = [first, second].find(({ assigned }) => assigned.length > 0);
    const isFromCommit = (event: MemberEvent) =>
      event.kind === 'messages' && event.epoch === owner?.epoch && event.messages[0]?.offset === 4;
    const isRedelivered = () => owner?.events.some(isFromCommit) === true;
    await eventually('redelivery from the commit', world.target.stepMs, isRedelivered);
    expect(await owner?.source.commit(owner.epoch, [{ topic, partition: 0, offset: 10 }])).toBe(true);
    expect(await committed()).toEqual([{ topic, partition: 0, offset: 10 }]);
  });

  test('does not deliver messages of a paused partition, and resumes it with a new assignment', async ({
    world,
  }) => {
    const { topic, publisher } = await world.topicWithPublisher(2);
    const groupId = world.name('group');
    // If a leader of the new topic moved later, the new assignment would resume the partition.
    await world.broker.admin.offsets(topic);
    const member = await world.member(groupId, [topic], { commit: 'each' });
    await world.assigned([member], 2);
    member.source.pause([{ topic, partition: 0 }]);
    await publisher.publish([placed(topic, 0, 'a'), placed(topic, 1, 'b')]);
    await received(world, member, 1);
    await sleep(QUIET_MS);
    expect(member.values()).toEqual(['b']);
    member.source.resume([{ topic, partition: 0 }]);
    await received(world, member, 2);
    expect(member.values()).toEqual(['b', 'a']);
    member.source.pause([0, 1].map((partition) => ({ topic, partition })));
    const other = await world.member(groupId, [topic], { commit: 'each' });
    await world.assigned([member, other], 2);
    await publisher.publish([placed(topic, 0, 'c'), placed(topic, 1, 'd')]);
    const all = () => [...member.values(), ...other.values()].toSorted();
    await eventually('both partitions', world.target.stepMs, () => all().join('') === 'abcd', all);
  });

  test('does not lose messages while members join and leave under load', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(6);
    const groupId = world.name('group');
    const seen = new Set<string>();
    const onEvent = (event: MemberEvent) => {
      if (event.kind === 'messages') for (const { value } of event.messages) seen.add(String(value));
    };
    const policy = { commit: 'each', onEvent } as const;
    const stayer = await world.member(groupId, [topic], policy);
    await world.assigned([stayer], 6);
    const atLeast = world.target.trafficMessages;
    const expected = new Set<string>();
    const rounds = { areOver: false };
    const traffic = (async () => {
      for (let index = 0; index < atLeast || !rounds.areOver; index += 1) {
        const messages = numbered(topic, `key-${index % 31}`, index, index + 1);
        expected.add(messages[0]?.value?.toString() ?? '');
        await publisher.publish(messages);
        if (index % 10 === 0 || index > atLeast) await sleep(2);
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const passing = await world.member(groupId, [topic], policy);
      await world.assigned([stayer, passing], 6);
      await passing.source.stop(SECOND);
      await world.assigned([stayer], 6);
    }
    rounds.areOver = true;
    await traffic;
    const total = expected.size;
    const count = () => seen.size;
    await eventually('every message', world.target.stepMs, () => count() >= total, count);
    expect(seen).toEqual(expected);
    await eventually('commits of all messages', world.target.stepMs, async () => {
      const committed = await world.broker.admin.committed(groupId, [topic]);
      return committed.reduce((sum, { offset }) => sum + offset, 0) === total;
    });
  });

  test('does not commit for a stopped member or deliver messages to it', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    const groupId = world.name('group');
    const member = await world.member(groupId, [topic], { commit: 'never' });
    await publisher.publish(numbered(topic, 'k', 0, 5));
    await received(world, member, 5);
    await member.source.stop(SECOND);
    await member.source.stop(SECOND);
    const events = member.events.length;
    const late = member.source.commit(member.epoch, [{ topic, partition: 0, offset: 5 }]);
    expect(await late.catch(() => false)).toBe(false);
    await publisher.publish(numbered(topic, 'k', 5, 10));
    await sleep(QUIET_MS);
    expect(member.events).toHaveLength(events);
    expect(await world.broker.admin.committed(groupId, [topic])).toEqual([]);
  });

  test('rejects start() of a member or a tail for a topic that does not exist', async ({ world }) => {
    const topics = [world.name('absent')];
    const member = world.member(world.name('group'), topics, { commit: 'never' });
    await expect(member).rejects.toMatchObject({ code: 'topic-unknown' });
    const tail = world.tail({ topics, from: 'latest' });
    await expect(tail).rejects.toMatchObject({ code: 'topic-unknown' });
  });
}

async function received(world: World, member: RecordingMember, count: number): Promise<void> {
  const isThere = () => member.messages.length >= count;
  await eventually(`${count} messages`, world.target.stepMs, isThere, () => member.values());
  expect(member.messages).toHaveLength(count);
}

function expectOffsetsWithoutGap(member: RecordingMember): void {
  const next = new Map<number, number>();
  for (const { partition, offset } of member.messages) {
    expect(offset).toBe(next.get(partition) ?? 0);
    next.set(partition, offset + 1);
  }
}
