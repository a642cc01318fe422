import { ConsumerRuntime } from '../../../shared/messaging/consumer/consumer-runtime.ts';
import type { LogMessage, PartitionOffset, TopicPartition } from '../../../shared/messaging/message.ts';
import type { GroupSink } from '../../../shared/messaging/ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { FakeGroupSource } from './group-source.ts';
import { FAKE_TOPIC, fakeMessage } from './messages.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

interface Member {
  readonly id: number;
  readonly runtime: ConsumerRuntime;
  readonly source: FakeGroupSource;
  readonly sink: GroupSink;
  positions: Map<number, number>;
}

/** One topic and its group with real runtimes as members; the test chooses each step. Collects `breaches`. */
export class FakeConsumerGroup {
  readonly breaches: string[] = [];
  readonly #log: readonly LogMessage[][];
  readonly #done: readonly Set<number>[];
  readonly #committed: number[];
  readonly #concurrency: number;
  #members: Member[] = [];
  #open: { readonly process: number; readonly message: LogMessage; readonly end: () => void }[] = [];
  #generation = 0;
  #nextId = 0;

  /** `keys[partition]` are the keys of the partition's messages, in offset order. */
  constructor(keys: readonly (readonly (string | null)[])[], concurrency: number) {
    this.#concurrency = concurrency;
    this.#log = keys.map((list, partition) =>
      list.map((key, offset) => fakeMessage(offset, { partition, key: key && `${partition}${key}` })),
    );
    this.#done = keys.map(() => new Set<number>());
    this.#committed = keys.map(() => 0);
  }

  get counts() {
    return { calls: this.#open.length, members: this.#members.length };
  }

  join(): void {
    const id = this.#nextId;
    this.#nextId += 1;
    const source = new FakeGroupSource();
    source.onCommit = ({ generation, offsets }) => Promise.resolve(this.#commit(id, generation, offsets));
    const runtime = new ConsumerRuntime({
      ...systemPorts,
      process: (message) => this.#process(id, message),
      log: silentLog,
      concurrency: this.#concurrency,
      window: { messages: 8 },
    });
    const sink = runtime.attach(source, () => undefined);
    this.#members.push({ id, runtime, source, sink, positions: new Map() });
  }

  kill(choice: number): void {
    const victim = this.#members[choice % this.#members.length];
    if (victim === undefined) return;
    this.#members = this.#members.filter((member) => member !== victim);
    this.#open = this.#open.filter((call) => call.process !== victim.id);
    victim.runtime.detach();
  }

  revoke(): void {
    for (const { sink } of this.#members) sink.onRevoking(this.#generation);
  }

  assign(choice: number): void {
    this.#generation += 1;
    const owned = this.#members.map((): TopicPartition[] => []);
    this.#log.forEach((_, partition) => {
      owned[(partition + choice) % owned.length]?.push({ topic: FAKE_TOPIC, partition });
    });
    this.#members.forEach((member, index) => {
      const partitions = owned[index] ?? [];
      const committed = partitions.map(({ partition: one }) => [one, this.#committed[one] ?? 0] as const);
      member.positions = new Map(committed);
      member.source.paused.clear();
      member.sink.onAssigned(this.#generation, partitions);
    });
  }

  deliver(choice: number, count: number): void {
    const partition = choice % this.#log.length;
    const owner = this.#members.find(({ positions }) => positions.has(partition));
    const messages = this.#log[partition] ?? [];
    const from = owner?.positions.get(partition) ?? messages.length;
    const batch = messages.slice(from, from + count);
    if (owner === undefined || batch.length === 0) return;
    if (owner.source.paused.has(`${FAKE_TOPIC}/${partition}`)) return;
    owner.positions.set(partition, from + batch.length);
    owner.sink.onMessages(this.#generation, batch, messages.length);
  }

  finish(choice: number): void {
    const [call] = this.#open.splice(choice % Math.max(1, this.#open.length), 1);
    if (call === undefined) return;
    this.#done[call.message.partition]?.add(call.message.offset);
    call.end();
  }

  isComplete(): boolean {
    return this.#log.every((messages, partition) => this.#committed[partition] === messages.length);
  }

  close(): void {
    for (const { runtime } of this.#members) runtime.detach();
  }

  #process(process: number, message: LogMessage): Promise<'settled'> {
    const { partition, offset } = message;
    const sameKey = (other: LogMessage) =>
      other.key !== null && message.key !== null && other.key.equals(message.key);
    const beside = this.#open.find((call) => call.process === process && sameKey(call.message));
    if (beside !== undefined)
      this.breaches.push(`${partition}/${offset} runs at the same time as ${beside.message.offset}`);
    for (const { offset: earlier } of (this.#log[partition] ?? []).slice(0, offset).filter(sameKey)) {
      if (!this.#done[partition]?.has(earlier))
        this.breaches.push(`${partition}/${offset} started before ${earlier} with the same key was done`);
    }
    const { promise, resolve } = Promise.withResolvers<'settled'>();
    this.#open.push({ process, message, end: () => resolve('settled') });
    return promise;
  }

  #commit(member: number, generation: number, offsets: readonly PartitionOffset[]): boolean {
    if (generation !== this.#generation || !this.#members.some(({ id }) => id === member)) return false;
    for (const { partition, offset } of offsets) {
      for (let below = 0; below < offset; below += 1) {
        if (!this.#done[partition]?.has(below))
          this.breaches.push(`${partition}: ${offset} committed, ${below} not done`);
      }
      if (offset < (this.#committed[partition] ?? 0))
        this.breaches.push(`${partition}: committed back to ${offset}`);
      this.#committed[partition] = offset;
    }
    return true;
  }
}
