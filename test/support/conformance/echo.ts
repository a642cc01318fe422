import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { startEchoWorker, type EchoRequest, type EchoWorkerOptions } from './echo-worker.ts';
import { eventually } from './wait.ts';
import type { World } from './world.ts';

export type EchoSystem = Awaited<ReturnType<typeof echoSystem>>;

const idOf = ({ headers }: LogMessage): string => String(headers[HEADER.correlationId]);

/** Echo workers with their topics and consumer group, and a requester that records requests and replies. */
export async function echoSystem(world: World, partitions: number) {
  const { admin } = world.broker;
  const { stepMs, sessionTimeoutMs } = world.target;
  const topics = {
    groupId: world.name('group'),
    requests: await world.topic(partitions),
    replies: await world.topic(2),
    deadLetters: await world.topic(1),
  };
  const replies: LogMessage[] = [];
  await world.tail({ topics: [topics.replies], from: 'latest' }, (message) => replies.push(message));
  const publisher = await world.publisher();
  const workerOptions = () => ({ ...topics, clientId: world.name('worker'), sessionTimeoutMs });
  const request = (key: string, payload: EchoRequest): OutgoingMessage => ({
    topic: topics.requests,
    key,
    value: Buffer.from(JSON.stringify({ type: 'Echo', payload })),
    headers: { [HEADER.correlationId]: payload.id, [HEADER.replyTopic]: topics.replies },
  });
  const answered = () => replies.map(idOf);
  const left = async () => {
    const committed = await admin.committed(topics.groupId, [topics.requests]);
    const done = new Map(committed.map(({ partition, offset }) => [partition, offset]));
    const ends = await admin.offsets(topics.requests);
    return ends.filter(({ partition, high }) => (done.get(partition) ?? 0) !== high);
  };
  return {
    topics,
    publisher,
    replies: replies as readonly LogMessage[],
    request,
    answered,
    worker: async (options: Pick<EchoWorkerOptions, 'commitIntervalMs'> = {}) => {
      const worker = await startEchoWorker(world.broker, { ...workerOptions(), ...options });
      world.after(() => worker.stop(1_000));
      return worker;
    },
    killableWorker: async () => {
      const worker = await world.target.startKillableWorker(workerOptions());
      world.after(() => worker.kill());
      return worker;
    },
    ask: (key: string, payload: EchoRequest) => publisher.publish([request(key, payload)]),
    reply: (id: string) => replies.find((reply) => idOf(reply) === id),
    allAnswered: async (ids: readonly string[], timeoutMs = stepMs): Promise<void> => {
      const missing = () => {
        const known = new Set(answered());
        return ids.filter((id) => !known.has(id));
      };
      const isComplete = () => missing().length === 0;
      await eventually(`${ids.length} replies`, timeoutMs, isComplete, () => missing().slice(0, 20));
    },
    allCommitted: () =>
      eventually('commits of all messages', stepMs, async () => (await left()).length === 0),
    /** Ids with repeated replies that differ: with at-least-once delivery a reply may be repeated, but must be the same. */
    unequalRepeats: (): string[] => {
      const first = new Map<string, string>();
      return replies.flatMap((reply) => {
        const [id, value] = [idOf(reply), String(reply.value)];
        if (!first.has(id)) first.set(id, value);
        return first.get(id) === value ? [] : [id];
      });
    },
  };
}

export function numberedIds(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
