import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { EchoRequest, EchoWorker, EchoWorkerOptions } from './echo-worker.ts';
import { echoRequest, startEchoWorker } from './echo-worker.ts';
import type { KillableWorker } from './target.ts';
import { eventually } from './wait.ts';
import type { World } from './world.ts';

/** Echo workers with their topics and consumer group, and a requester that records requests and replies. */
export class EchoSystem {
  readonly topics: Pick<EchoWorkerOptions, 'groupId' | 'requests' | 'replies' | 'deadLetters'>;
  readonly publisher: Publisher;
  readonly replies: LogMessage[];
  readonly #world: World;

  constructor(world: World, parts: Pick<EchoSystem, 'topics' | 'publisher' | 'replies'>) {
    this.#world = world;
    this.topics = parts.topics;
    this.publisher = parts.publisher;
    this.replies = parts.replies;
  }

  async worker(options: Pick<EchoWorkerOptions, 'commitIntervalMs'> = {}): Promise<EchoWorker> {
    const worker = await startEchoWorker(this.#world.broker, { ...this.#workerOptions(), ...options });
    this.#world.after(() => worker.stop(1_000));
    return worker;
  }

  async killableWorker(): Promise<KillableWorker> {
    const worker = await this.#world.target.startKillableWorker(this.#workerOptions());
    this.#world.after(() => worker.kill());
    return worker;
  }

  request(key: string, request: EchoRequest): OutgoingMessage {
    return echoRequest(this.topics, key, request);
  }

  ask(key: string, request: EchoRequest): Promise<void> {
    return this.publisher.publish([this.request(key, request)]);
  }

  answered(): string[] {
    return this.replies.map(({ headers }) => String(headers[HEADER.correlationId]));
  }

  reply(id: string): LogMessage | undefined {
    return this.replies.find(({ headers }) => String(headers[HEADER.correlationId]) === id);
  }

  async allAnswered(ids: readonly string[], timeoutMs = this.#world.target.stepMs): Promise<void> {
    const missing = () => {
      const answered = new Set(this.answered());
      return ids.filter((id) => !answered.has(id));
    };
    const isComplete = () => missing().length === 0;
    await eventually(`${ids.length} replies`, timeoutMs, isComplete, () => missing().slice(0, 20));
  }

  async allCommitted(): Promise<void> {
    const { admin } = this.#world.broker;
    const left = async () => {
      const committed = await admin.committed(this.topics.groupId, [this.topics.requests]);
      const done = new Map(committed.map(({ partition, offset }) => [partition, offset]));
      const ends = await admin.offsets(this.topics.requests);
      return ends.filter(({ partition, high }) => (done.get(partition) ?? 0) !== high);
    };
    const isCommitted = async () => (await left()).length === 0;
    await eventually('commits of all messages', this.#world.target.stepMs, isCommitted);
  }

  /** Ids with repeated replies that differ: with at-least-once delivery a reply may be repeated, but must be the same. */
  unequalRepeats(): string[] {
    const first = new Map<string, string>();
    return this.replies.flatMap(({ headers, value }) => {
      const id = String(headers[HEADER.correlationId]);
      const known = first.get(id);
      if (known === undefined) first.set(id, String(value));
      return known === undefined || known === String(value) ? [] : [id];
    });
  }

  #workerOptions(): EchoWorkerOptions {
    const { sessionTimeoutMs } = this.#world.target;
    return { ...this.topics, clientId: this.#world.name('worker'), sessionTimeoutMs };
  }
}

export async function echoSystem(world: World, partitions: number): Promise<EchoSystem> {
  const topics = {
    groupId: world.name('group'),
    requests: await world.topic(partitions),
    replies: await world.topic(2),
    deadLetters: await world.topic(1),
  };
  const replies: LogMessage[] = [];
  await world.tail({ topics: [topics.replies], from: 'latest' }, (message) => replies.push(message));
  return new EchoSystem(world, { topics, publisher: await world.publisher(), replies });
}

export function numberedIds(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
