import { partitionId, type PartitionOffset, type TopicPartition } from '../../../shared/messaging/message.ts';
import type { GroupSink, GroupSource } from '../../../shared/messaging/ports.ts';

interface FakeCommit {
  readonly generation: number;
  readonly offsets: readonly PartitionOffset[];
}

export class FakeGroupSource implements GroupSource {
  sink: GroupSink | undefined;
  readonly commits: FakeCommit[] = [];
  readonly paused = new Set<string>();
  stops = 0;
  onCommit: (commit: FakeCommit) => Promise<boolean> = () => Promise.resolve(true);
  onStop: (timeoutMs: number) => Promise<void> = () => Promise.resolve();
  onStart: () => Promise<void> = () => Promise.resolve();

  start(sink: GroupSink): Promise<void> {
    this.sink = sink;
    return this.onStart();
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions) this.paused.add(partitionId(topic, partition));
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions) this.paused.delete(partitionId(topic, partition));
  }

  commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const commit = { generation, offsets };
    this.commits.push(commit);
    return this.onCommit(commit);
  }

  stop(timeoutMs = 0): Promise<void> {
    this.stops += 1;
    return this.onStop(timeoutMs);
  }

  committed(partition = 0): number | undefined {
    const offsets = this.commits.flatMap((commit) => commit.offsets);
    return offsets.findLast((offset) => offset.partition === partition)?.offset;
  }
}
