import type { EmbeddedGroup } from './group.ts';
import type { EmbeddedTopics } from './topics.ts';
import type { PartitionOffset } from '../message.ts';
import type { BrokerAdmin, GroupReads, GroupState, PartitionRange, TopicSpec } from '../ports.ts';

/** Topics, offsets and commits of the embedded broker. */
export class EmbeddedAdmin implements BrokerAdmin {
  readonly #topics: EmbeddedTopics;
  readonly #groups: ReadonlyMap<string, EmbeddedGroup>;

  constructor(topics: EmbeddedTopics, groups: ReadonlyMap<string, EmbeddedGroup>) {
    this.#topics = topics;
    this.#groups = groups;
  }

  async createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    const made = specs.filter((spec) => this.#topics.create(spec)).map((spec) => spec.topic);
    await this.#topics.flushed();
    return made;
  }

  async listTopics(): Promise<readonly string[]> {
    return this.#topics.names();
  }

  async partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const name of topics) {
      const topic = this.#topics.find(name);
      if (topic !== undefined) counts.set(name, topic.logs.length);
    }
    return counts;
  }

  async offsets(topic: string): Promise<readonly PartitionRange[]> {
    return this.#topics
      .get(topic)
      .logs.map(({ partition, low, high, usedShare }) => ({ partition, low, high, usedShare }));
  }

  async committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    const group = this.#groups.get(groupId);
    return topics.flatMap((topic) =>
      (this.#topics.find(topic)?.logs ?? []).flatMap(({ partition }) => {
        const offset = group?.committed(topic, partition);
        return offset === undefined ? [] : [{ topic, partition, offset }];
      }),
    );
  }

  async groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]> {
    return reads.map((group) => describeGroup(group, this.#topics, this.#groups.get(group.groupId)));
  }
}

/** The state of a group; `group` is undefined if no member has joined it and it has no commits. */
export function describeGroup(
  { groupId, topics: names }: GroupReads,
  topics: Pick<EmbeddedTopics, 'find'>,
  group: EmbeddedGroup | undefined,
): GroupState {
  const partitions = names.flatMap((topic) =>
    (topics.find(topic)?.logs ?? []).map(({ partition, low, high }) => {
      const committed = group?.committed(topic, partition);
      return { topic, partition, low, high, ...(committed === undefined ? {} : { committed }) };
    }),
  );
  return { groupId, partitions, ...(group?.describe() ?? { state: 'empty', members: [] }) };
}
