import type { DiskCalls } from '../../../shared/messaging/data-file.ts';
import { partitionId, type LogMessage, type PartitionOffset } from '../../../shared/messaging/message.ts';
import type { Broker, GroupReads, GroupSource, TopicSpec } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs, TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { SimulatedDisk, type DiskProcess } from '../../support/disk/simulated-disk.ts';
import { Picks } from '../../support/random/pick.ts';
import { DEAD_LETTERS } from '../check/history.ts';
import type { Incident } from '../faults/fault-plan.ts';
import type { RestartingProcess } from '../restarting-process.ts';
import type { SeededSystem } from '../seeded-system.ts';
import type { ProcessLife } from '../sim-process.ts';
import type { BrokerObserver } from './broker-model.ts';
import { impossible, type SimBroker } from './sim-broker.ts';

const USUAL_SYNC_MS = 4;
const RESTART_MS = 500;
/** Topics with records in memory only, which end with their process. */
const IN_MEMORY: ReadonlySet<string> = new Set(
  allTopicSpecs('', []).flatMap(({ topic, storage }) => (storage === undefined ? [] : [topic])),
);

/** The topics of requests that are delivered before they are stored. */
const UNSTORED: ReadonlySet<string> = new Set(
  allTopicSpecs('', []).flatMap(({ topic, storage }) => (storage === 'as-reply' ? [topic] : [])),
);

export interface EmbeddedBrokerOptions {
  readonly system: SeededSystem;
  readonly seed: number;
  readonly observer: BrokerObserver;
  readonly topics: readonly TopicSpec[];
  readonly process: () => RestartingProcess;
}

export function createEmbeddedSimBroker(options: EmbeddedBrokerOptions): SimBroker {
  const { system, seed, observer, topics, process } = options;
  const disk = new SimulatedDisk(new Picks(seed), system.timers);
  disk.faults.slowestSyncMs = USUAL_SYNC_MS;
  const programs = new Map<ProcessLife, DiskProcess>();
  const logs = new LogObserver(observer);
  return {
    env: { DATA_DIR: disk.folder },
    connect: (life) => {
      const program = disk.start();
      programs.set(life, program);
      return { disk: asEffects(program.calls, life) };
    },
    openBroker: async (broker, life) => {
      await broker.admin.createTopics(topics);
      return logs.open(broker, life);
    },
    onEnd: (life) => programs.get(life)?.kill(),
    connectClient: () => createClient(process),
    strike: (incident) => strike(disk, incident, process()),
    absentMs: () => (process().running()?.broker.health?.().status === 'ready' ? 0 : Infinity),
    groups: async () =>
      (await process()
        .running()
        ?.broker.admin.groups([...logs.reads.values()])) ?? [],
    close: () => disk.remove(),
  };
}

/** A fault of the disk ends at its time; an earlier one of its kind may end it before. */
function strike(disk: SimulatedDisk, incident: Incident, process: RestartingProcess): void {
  const { kind } = incident;
  const { faults } = disk;
  const later = (end: () => void, ms: number): void =>
    void process.machine.system.timers.schedule(end, ms, 'background');
  if (kind === 'power-loss') process.crash(incident.afterEffects, incident.downMs, () => disk.losePower());
  else if (kind === 'full-disk') {
    faults.isFull = true;
    later(() => (faults.isFull = false), incident.forMs);
  } else if (kind === 'slow-disk') {
    faults.slowestSyncMs = incident.slowestSyncMs;
    later(() => (faults.slowestSyncMs = USUAL_SYNC_MS), incident.forMs);
  } else if (kind === 'failing-disk') {
    faults.failedSyncPercent = incident.failedSyncPercent;
    later(() => {
      faults.failedSyncPercent = 0;
      process.terminate(RESTART_MS);
    }, incident.forMs);
  } else throw impossible(incident);
}

/** The calls of a disk as effects of a process, so that it may end between any two of them. Their ends wait for a frozen one. */
function asEffects(calls: DiskCalls, life: ProcessLife): DiskCalls {
  const act = (): void => {
    if (!life.mayAct()) throw Object.assign(new Error('the process has ended'), { code: 'EBADF' });
  };
  return {
    ...calls,
    commit: (database) => {
      act();
      calls.commit(database);
      act();
    },
    sync: (fd) => {
      act();
      return life.await(calls.sync(fd));
    },
  };
}

/** Sees the records and commits of an embedded broker when they are on the disk, over all lives of its process. */
class LogObserver {
  readonly reads = new Map<string, GroupReads>();
  readonly #observer: BrokerObserver;
  readonly #next = new Map<string, number>();
  readonly #unstored = new Map<string, PartitionOffset>();

  constructor(observer: BrokerObserver) {
    this.#observer = observer;
  }

  async open(broker: Broker, life: ProcessLife): Promise<Broker> {
    const topics = (await broker.admin.listTopics()).toSorted((one, other) => placeOf(one) - placeOf(other));
    const see = (message: LogMessage): void => this.#see(message, life.id);
    const catchUp = (): Promise<void> => this.#catchUp(broker, topics, see);
    await this.#forgetLost(broker, [...this.#unstored.values()]);
    await catchUp();
    await broker.createTail({ clientId: 'observer', topics, from: 'earliest' }).start(see);
    return {
      ...broker,
      createGroupSource: (options) => {
        this.reads.set(options.groupId, options);
        const source = this.#forgetPassedOver(broker, broker.createGroupSource(options));
        return this.#observeCommits(source, options.groupId, { life, catchUp });
      },
    };
  }

  /** Requests are read before they are stored. Refused ones leave the log with their process, or when the disk is full. */
  async #forgetLost(broker: Broker, places: readonly PartitionOffset[]): Promise<void> {
    const lost = new Map(places.map((place) => [idOf(place), place]));
    const ranges = places.map(({ offset, ...partition }) => ({ ...partition, from: offset, to: offset + 1 }));
    await broker.readRanges(ranges, (message) => {
      lost.delete(idOf(message));
      return 'more';
    });
    for (const [id, place] of lost) {
      this.#unstored.delete(id);
      this.#observer.onUnstored?.(place);
    }
  }

  /** A commit may pass over requests that were lost before the group read them. Those that it read have replies. */
  #forgetPassedOver(broker: Broker, source: GroupSource): GroupSource {
    const read = new Set<string>();
    const [start, commit] = [source.start.bind(source), source.commit.bind(source)];
    source.start = (sink) =>
      start({
        ...sink,
        onMessages: (generation, messages, highWatermark) => {
          for (const message of messages) read.add(idOf(message));
          sink.onMessages(generation, messages, highWatermark);
        },
      });
    source.commit = async (generation, offsets) => {
      const ends = new Map(offsets.map((end) => [partitionId(end.topic, end.partition), end.offset]));
      const isPassedOver = (place: PartitionOffset): boolean =>
        !read.has(idOf(place)) && place.offset < (ends.get(partitionId(place.topic, place.partition)) ?? 0);
      await this.#forgetLost(broker, [...this.#unstored.values()].filter(isPassedOver));
      return commit(generation, offsets);
    };
    return source;
  }

  #observeCommits(
    source: GroupSource,
    groupId: string,
    { life, catchUp }: { life: ProcessLife; catchUp: () => Promise<void> },
  ): GroupSource {
    const commit = source.commit.bind(source);
    source.commit = async (generation, offsets) => {
      const isCommitted = await commit(generation, offsets);
      if (!isCommitted || !life.isAlive()) return isCommitted;
      await catchUp();
      for (const offset of offsets) this.#observer.onCommit?.(groupId, offset, life.id);
      return true;
    };
    return source;
  }

  async #catchUp(broker: Broker, topics: readonly string[], see: (message: LogMessage) => void) {
    for (const topic of topics) {
      for (const { partition, high } of await broker.admin.offsets(topic)) {
        const from = this.#next.get(partitionId(topic, partition)) ?? 0;
        if (high < from && IN_MEMORY.has(topic)) this.#next.set(partitionId(topic, partition), high);
        else if (high < from) this.#observer.onLoss?.({ topic, partition, offset: high }, from);
        if (high <= from) continue;
        await broker.readRanges([{ topic, partition, from, to: high }], (message) => {
          see(message);
          return 'more';
        });
      }
    }
  }

  #see(message: LogMessage, by: string): void {
    const place = partitionId(message.topic, message.partition);
    if (message.offset < (this.#next.get(place) ?? 0)) return;
    this.#next.set(place, message.offset + 1);
    // A reply that ended with its process was given nevertheless.
    if (UNSTORED.has(message.topic)) this.#unstored.set(idOf(message), message);
    this.#observer.onRecord?.(message, by);
  }
}

function idOf({ topic, partition, offset }: PartitionOffset): string {
  return `${partitionId(topic, partition)} ${offset}`;
}

/** Of records that become durable at the same time, those that others follow from are seen first. */
function placeOf(topic: string): number {
  if (topic === TOPIC.notificationOutcomes) return 0;
  if (DEAD_LETTERS.has(topic)) return 2;
  return topic.startsWith('plat.') ? 1 : 3;
}

/** The broker as over its admin endpoint: a call that the process does not survive is rejected. */
function createClient(process: () => RestartingProcess): Broker {
  const ask = async <Value>(work: (broker: Broker) => Promise<Value>): Promise<Value> => {
    const answer = await process().serve(({ broker }) => work(broker));
    if (answer.kind === 'answer') return answer.value;
    throw new MessagingError('broker-unavailable', 'the process has ended', { canRetry: true });
  };
  const call =
    (name: string) =>
    (...values: readonly unknown[]) =>
      ask(({ admin }) => (Reflect.get(admin, name) as (...all: unknown[]) => Promise<unknown>)(...values));
  return {
    kind: 'embedded',
    createPublisher: ({ clientId }) => ({
      start: async () => undefined,
      publish: (messages) =>
        ask(async (broker) => {
          const publisher = broker.createPublisher({ clientId });
          await publisher.start();
          await publisher.publish(messages);
          await publisher.stop();
        }),
      isHealthy: () => true,
      stop: async () => undefined,
    }),
    createGroupSource: noConsumer,
    createTail: noConsumer,
    readRanges: (ranges, onMessage) => ask((broker) => broker.readRanges(ranges, onMessage)),
    admin: new Proxy({} as Broker['admin'], { get: (_, name) => call(String(name)) }),
    close: () => Promise.resolve(),
  };
}

function noConsumer(): never {
  throw new Error('other programs do not consume from an embedded broker');
}
