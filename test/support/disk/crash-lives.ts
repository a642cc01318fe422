import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher, TopicSpec } from '../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { seededSystem, type SeededSystem } from '../../simulation/seeded-system.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const PLAIN = ['events', 'requests', 'replies'] as const;
const TOPICS: readonly TopicSpec[] = [
  { topic: 'events', partitions: 3 },
  { topic: 'requests', partitions: 2, storage: 'as-reply' },
  { topic: 'replies', partitions: 1 },
  {
    topic: 'table',
    partitions: 1,
    config: { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' },
  },
];
/** A topic that is deleted and created again. */
const TEMPORARY: TopicSpec = { topic: 'temporary', partitions: 1 };
const GROUP = 'worker';
const KEYS = 6;
/** Longest simulated time of a start, or of reading everything. */
const LIMIT_MS = 60_000;

/** How a publish ended; `open`: its process did before. */
type Fate = 'open' | 'acknowledged' | 'not-sent' | 'unknown';

interface Published {
  readonly number: number;
  readonly topic: string;
  readonly text: string;
  fate: Fate;
}

/** Everything that was ever published to one data folder, in the order of the calls, and what readers were told. */
interface History {
  readonly published: Published[];
  /** Where a reader of durable messages saw each message. */
  readonly seen: Map<string, number>;
  readonly committed: Map<number, number>;
  readonly high: Map<string, number>;
  /** Numbers below these were published before a deletion of the temporary topic was called, and acknowledged. */
  readonly deleted: { called: number; done: number };
}

/** What a run did, to see that it did something. */
export interface LifeCounts {
  lives: number;
  powerLosses: number;
  published: number;
  acknowledged: number;
  refused: number;
  found: number;
}

interface World {
  readonly system: SeededSystem;
  readonly disk: SimulatedDisk;
  readonly history: History;
  readonly counts: LifeCounts;
}

/**
 * Starts a broker on a simulated disk again and again: each publishes, reads and commits for a random time, with a full,
 * slow or failing disk, until a crash or a power loss. Throws when a start finds something else than what the publishers and
 * readers before were told.
 */
export async function liveAndCrash(seed: number, lives: number, counts: LifeCounts): Promise<void> {
  const system = seededSystem(seed);
  const disk = new SimulatedDisk(system.picks, system.timers);
  const history: History = {
    published: [],
    seen: new Map(),
    committed: new Map(),
    high: new Map(),
    deleted: { called: 0, done: 0 },
  };
  const world: World = { system, disk, history, counts };
  try {
    for (let life = 0; life < lives; life += 1) await liveOnce(world);
  } finally {
    disk.remove();
  }
}

async function liveOnce({ system, disk, history, counts }: World): Promise<void> {
  const { picks } = system;
  const program = disk.start();
  const isShort = picks.chance(30);
  if (isShort) disk.killAfter(picks.whole(0, 60));
  try {
    const ports = { ...system, timers: timersOf(system.timers, () => program.isRunning()) };
    const broker = createEmbeddedBroker({
      ...ports,
      dataFolder: disk.folder,
      disk: program.calls,
      sweepIntervalMs: picks.of(10, 100),
    });
    await system.run(broker.admin.createTopics([...TOPICS, TEMPORARY]), LIMIT_MS);
    await system.run(check(broker, history, counts), LIMIT_MS);
    if (!isShort) disk.killAfter(picks.whole(0, 400));
    await work(broker, { system, disk, history, counts }, () => program.isRunning());
    if (picks.chance(20) && program.isRunning()) await system.run(broker.close(), LIMIT_MS);
  } catch (error) {
    if (program.isRunning() || error instanceof AssertionError) throw error;
  } finally {
    program.kill();
    Object.assign(disk.faults, { isFull: false, failedSyncPercent: 0, slowestSyncMs: 0 });
    disk.killAfter(Infinity);
  }
  await system.pass(LIMIT_MS);
  counts.lives += 1;
  if (!picks.chance(60)) return;
  disk.losePower();
  counts.powerLosses += 1;
}

/** The timers of a process: they do nothing once it has ended. */
function timersOf(timers: Timers, isRunning: () => boolean): Timers {
  const guard = (callback: () => void) => (): void => {
    if (isRunning()) callback();
  };
  return {
    schedule: (callback, afterMs, kind) => timers.schedule(guard(callback), afterMs, kind),
    nextTurn: (callback) => timers.nextTurn(guard(callback)),
  };
}

class AssertionError extends Error {}

function require(condition: boolean, text: () => string): void {
  if (!condition) throw new AssertionError(text());
}

async function work(broker: Broker, world: World, isRunning: () => boolean): Promise<void> {
  const { system, disk, history } = world;
  const { picks } = system;
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs: 5_000 });
  await publisher.start();
  const publish = (topic: string, texts: readonly (string | null)[], key?: string): Promise<void> =>
    publishNoted(
      { publisher, isRunning },
      history,
      texts.map((text) => ({ topic, text, key: key ?? `k${picks.whole(0, KEYS)}` })),
      world.counts,
    );
  await follow(broker, history);
  await answerRequests(broker, history, publish);
  for (let step = picks.whole(0, 40); step > 0 && isRunning(); step -= 1) {
    disk.faults.slowestSyncMs = picks.of(0, 0, 5, 30);
    disk.faults.isFull = disk.faults.isFull ? picks.chance(70) : picks.chance(4);
    disk.faults.failedSyncPercent = picks.chance(3) ? 40 : 0;
    if (picks.chance(4)) void deleteTemporary(broker, history);
    const topic = picks.of('events', 'events', 'requests', 'table', TEMPORARY.topic);
    const texts = Array.from({ length: picks.of(1, 1, 2, 6) }, () => 'x'.repeat(picks.of(3, 40, 300)));
    void publish(topic, topic === 'table' && picks.chance(20) ? [null] : texts);
    await system.pass(picks.of(0, 0, 0, 1, 6, 6, 40, picks.of(1, 1_100)));
  }
}

async function deleteTemporary(broker: Broker, { deleted, published }: History): Promise<void> {
  const before = published.length;
  deleted.called = before;
  try {
    await broker.admin.deleteTopics([TEMPORARY.topic]);
    deleted.done = before;
    await broker.admin.createTopics([TEMPORARY]);
  } catch {
    // Whether it is deleted shows after the next start.
  }
}

interface Text {
  readonly topic: string;
  readonly text: string | null;
  readonly key: string;
}

/** Publishes numbered texts in one call, and notes how it ended. */
async function publishNoted(
  { publisher, isRunning }: { readonly publisher: Publisher; readonly isRunning: () => boolean },
  { published }: History,
  texts: readonly Text[],
  counts: LifeCounts,
): Promise<void> {
  const all = texts.map(({ topic, text, key }) => {
    const number = published.length;
    const one: Published = { number, topic, text: `${number} ${key} ${text ?? ''}`, fate: 'open' };
    published.push(one);
    return {
      one,
      message: { topic, key, value: text === null ? null : Buffer.from(one.text) } satisfies OutgoingMessage,
    };
  });
  counts.published += all.length;
  let fate: Fate = 'acknowledged';
  try {
    await publisher.publish(all.map(({ message }) => message));
    counts.acknowledged += all.length;
  } catch (error) {
    // A process that has ended reports nothing.
    if (!isRunning()) return;
    fate = error instanceof MessagingError && error.code === 'not-sent' ? 'not-sent' : 'unknown';
    counts.refused += all.length;
  }
  for (const { one } of all) one.fate = fate;
}

const placeOf = ({ topic, partition, offset }: Pick<LogMessage, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}@${offset}`;
const numberOf = ({ value }: LogMessage): number => Number.parseInt(String(value), 10);

/** A reader of durable messages: what it has seen must be there after a crash. */
async function follow(broker: Broker, { seen }: History): Promise<void> {
  const tail = broker.createTail({ clientId: 'tail', topics: ['events', 'replies'], from: 'earliest' });
  await tail.start((message) => seen.set(placeOf(message), numberOf(message)));
}

/** A worker: reads requests, which may not be durable yet, publishes a reply to each, and commits. */
async function answerRequests(
  broker: Broker,
  { committed }: History,
  publish: (topic: string, texts: readonly string[]) => Promise<void>,
): Promise<void> {
  const source = broker.createGroupSource({ groupId: GROUP, clientId: 'w', topics: ['requests'] });
  await source.start({
    onAssigned: () => undefined,
    onRevoking: () => undefined,
    onCrash: () => undefined,
    onMessages: (generation, messages) => {
      for (const message of messages) void publish('replies', [`to ${numberOf(message)}`]);
      const last = messages.at(-1);
      if (last === undefined) return;
      const { topic, partition, offset } = last;
      source.commit(generation, [{ topic, partition, offset: offset + 1 }]).then(
        () => committed.set(partition, Math.max(committed.get(partition) ?? 0, offset + 1)),
        () => undefined,
      );
    },
  });
}

async function readAll(broker: Broker, topic: string): Promise<LogMessage[]> {
  const messages: LogMessage[] = [];
  const offsets = await broker.admin.offsets(topic);
  await broker.readRanges(
    offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high })),
    (message) => {
      messages.push(message);
      return 'more';
    },
  );
  return messages;
}

/** Compares what a start finds with what was told before. Afterwards the fate of every publish is settled. */
async function check(broker: Broker, history: History, counts: LifeCounts): Promise<void> {
  const { published, seen } = history;
  const found = new Map<number, string>();
  for (const topic of PLAIN) {
    let before = { partition: -1, number: -1 };
    for (const message of await readAll(broker, topic)) {
      const number = numberOf(message);
      const place = placeOf(message);
      const one = published[number];
      require(one?.text === String(message.value) && one.topic === topic, () =>
        `${place} was not published: ${String(message.value)}`);
      require(!found.has(number), () => `${number} is at ${found.get(number)} and at ${place}`);
      const isInOrder = before.partition !== message.partition || before.number < number;
      require(isInOrder, () => `${number} at ${place} is behind ${before.number}`);
      before = { partition: message.partition, number };
      found.set(number, place);
    }
  }
  for (const [place, number] of seen) {
    require(found.get(number) === place, () =>
      `${number} was delivered from ${place}, and is at ${found.get(number)}`);
  }
  checkFates(published, found);
  checkReplies(published, found);
  await checkTable(broker, published);
  await checkTemporary(broker, history);
  await checkOffsets(broker, history);
  counts.found = Math.max(counts.found, found.size);
}

/** What was acknowledged is there, what was refused is not, and nothing is missing before something that is there. */
function checkFates(published: readonly Published[], found: ReadonlyMap<number, string>): void {
  const newest = Math.max(-1, ...found.keys());
  for (const one of published) {
    if (one.topic === 'table' || one.topic === TEMPORARY.topic) continue;
    const { number, fate } = one;
    const isThere = found.has(number);
    require(isThere || fate !== 'acknowledged', () => `${number} was acknowledged and is lost`);
    require(!isThere || fate !== 'not-sent', () => `${number} was refused and is at ${found.get(number)}`);
    require(isThere || fate !== 'open' || number > newest, () => `${number} is missing before ${newest}`);
    one.fate = isThere ? 'acknowledged' : 'not-sent';
  }
}

function checkReplies(published: readonly Published[], found: ReadonlyMap<number, string>): void {
  for (const number of found.keys()) {
    const request = / to (\d+)$/.exec(published[number]?.text ?? '')?.[1];
    if (request === undefined) continue;
    require(found.has(Number(request)), () =>
      `the reply ${number} is there, and its request ${request} is not`);
  }
}

/** The latest message of each key is the last one that was acknowledged, or a later one. */
async function checkTable(broker: Broker, published: readonly Published[]): Promise<void> {
  const table = new Map<string, number>();
  for (const message of await readAll(broker, 'table')) {
    if (message.value === null) table.delete(String(message.key));
    else table.set(String(message.key), numberOf(message));
  }
  const acknowledged = new Map<string, Published>();
  for (const one of published) {
    if (one.topic === 'table' && one.fate === 'acknowledged')
      acknowledged.set(one.text.split(' ')[1] ?? '', one);
  }
  for (const [key, { number, text }] of acknowledged) {
    const latest = table.get(key);
    const isTombstone = text.split(' ')[2] === '';
    const isLater = published
      .slice(number + 1)
      .some((one) => one.topic === 'table' && one.text.split(' ')[1] === key && one.fate !== 'not-sent');
    const isRight = isTombstone ? latest === undefined : latest === number;
    require(isRight || isLater, () => `${key} has ${latest} in place of ${number}`);
    require(latest === undefined || latest >= number || isLater, () => `${key} went back to ${latest}`);
  }
}

/** A deleted topic stays deleted with its messages, and the one that followed it has its own. */
async function checkTemporary(broker: Broker, { published, deleted }: History): Promise<void> {
  const found = new Set<number>();
  for (const message of await readAll(broker, TEMPORARY.topic)) {
    const number = numberOf(message);
    require(published[number]?.text === String(message.value), () => `${placeOf(message)} was not published`);
    require(number >= deleted.done, () => `${number} was deleted and is at ${placeOf(message)}`);
    found.add(number);
  }
  for (const { number, topic, fate } of published.slice(deleted.called)) {
    if (topic !== TEMPORARY.topic || fate !== 'acknowledged') continue;
    require(found.has(number), () => `${number} of the temporary topic was acknowledged and is lost`);
  }
}

async function checkOffsets(broker: Broker, { committed, high }: History): Promise<void> {
  const stored = new Map(
    (await broker.admin.committed(GROUP, ['requests'])).map((one) => [one.partition, one.offset]),
  );
  for (const topic of PLAIN) {
    for (const { partition, high: end } of await broker.admin.offsets(topic)) {
      const id = `${topic}/${partition}`;
      require(end >= (high.get(id) ?? 0), () => `the end of ${id} went back to ${end}`);
      high.set(id, end);
      if (topic !== 'requests') continue;
      const offset = stored.get(partition) ?? 0;
      require(offset >= (committed.get(partition) ?? 0), () => `a commit of ${id} went back to ${offset}`);
      require(offset <= end, () => `${id} ends at ${end}, and ${offset} was committed`);
      committed.set(partition, offset);
    }
  }
}
