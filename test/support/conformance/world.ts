import { randomUUID } from 'node:crypto';
import { test as base } from 'vitest';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher, TailOptions } from '../../../shared/messaging/ports.ts';
import { RecordingMember, type MemberPolicy } from './member.ts';
import { readTopics } from './read-topics.ts';
import type { ConformanceTarget } from './target.ts';
import { eventually } from './wait.ts';

const CLEANUP_MS = 5_000;

/** The topics, groups and clients of one scenario; the clients are stopped when it ends. */
export class World {
  readonly target: ConformanceTarget;
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  readonly #run = randomUUID().slice(0, 8);
  #count = 0;

  constructor(target: ConformanceTarget) {
    this.target = target;
  }

  get broker() {
    return this.target.broker;
  }

  name(kind: string): string {
    this.#count += 1;
    return `conformance.${kind}.${this.#run}-${this.#count}`;
  }

  async topic(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
    const topic = this.name('topic');
    await this.broker.admin.createTopics([{ topic, partitions, config, replicationFactor: 1 }]);
    // Answered by the leaders: a send to one that does not know its partition yet would be repeated.
    await this.broker.admin.offsets(topic);
    this.after(async () => this.target.deleteTopics?.([topic]));
    return topic;
  }

  async topicWithPublisher(...topic: Parameters<World['topic']>) {
    return { topic: await this.topic(...topic), publisher: await this.publisher() };
  }

  async publisher(): Promise<Publisher> {
    const publisher = this.broker.createPublisher({ clientId: this.name('publisher') });
    this.after(() => publisher.stop(1_000));
    await publisher.start();
    return publisher;
  }

  async member(groupId: string, topics: readonly string[], policy: MemberPolicy): Promise<RecordingMember> {
    const { sessionTimeoutMs } = this.target;
    const options = { groupId, clientId: this.name('member'), topics, sessionTimeoutMs };
    const member = new RecordingMember(this.broker, options, policy);
    this.after(() => member.source.stop(1_000));
    return member.start();
  }

  async assigned(members: readonly RecordingMember[], partitions: number): Promise<void> {
    const owned = () => members.flatMap(({ assigned }) => assigned.map(({ partition }) => partition));
    const whole = () => {
      const all = owned();
      const joined = members.every(({ epoch }) => epoch > 0);
      return joined && all.length === partitions && new Set(all).size === partitions;
    };
    await eventually('assignment of all partitions', this.target.stepMs, whole, owned);
  }

  async tail(
    options: Omit<TailOptions, 'clientId'>,
    onMessage: (message: LogMessage) => void = () => undefined,
  ) {
    const clientId = this.name('tail');
    const tail = this.broker.createTail({ clientId, ...options });
    this.after(() => tail.stop(1_000));
    const values: string[] = [];
    await tail.start((message) => {
      onMessage(message);
      values.push(String(message.value));
    });
    return { tail, clientId, values };
  }

  readAll(topic: string): Promise<LogMessage[]> {
    return readTopics(this.broker, [topic], this.target.stepMs);
  }

  after(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    const limit = new Promise((resolve) => {
      setTimeout(resolve, CLEANUP_MS).unref();
    });
    for (const cleanup of this.#cleanups.toReversed()) {
      await Promise.race([cleanup().catch(() => undefined), limit]);
    }
  }
}

/** vitest's `test` with the broker of the file (`target`) and a separate world for each scenario. */
export function scenarioTest(createTarget: () => ConformanceTarget | Promise<ConformanceTarget>) {
  return base
    .extend('made', { scope: 'file' }, { by: createTarget })
    .extend('target', { scope: 'file' }, async ({ made }, { onCleanup }) => {
      const target = await made.by();
      onCleanup(() => target.close());
      return target;
    })
    .extend('world', ({ target }, { onCleanup }) => {
      const world = new World(target);
      onCleanup(() => world.close());
      return world;
    });
}

export type ScenarioTest = ReturnType<typeof scenarioTest>;

export function placed(topic: string, partition: number, text = 'x'): OutgoingMessage {
  return { topic, key: null, partition, value: Buffer.from(text) };
}

/** Text messages with one key, `from` to `to` exclusive, e.g. k1-0, k1-1. */
export const numbered = (topic: string, key: string, from: number, to: number): OutgoingMessage[] =>
  Array.from({ length: to - from }, (_, at) => ({ topic, key, value: Buffer.from(`${key}-${from + at}`) }));
