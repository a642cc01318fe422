import { describeGroup } from '../../../shared/messaging/embedded/embedded-broker.ts';
import { topicUnknown } from '../../../shared/messaging/broker-errors.ts';
import type { OffsetRange } from '../../../shared/messaging/message.ts';
import type {
  Broker,
  BrokerAdmin,
  OnRangeMessage,
  ReadOn,
  TopicState,
  Queued,
} from '../../../shared/messaging/ports.ts';
import { QUEUE_LIMITS } from '../../../shared/platform/queues/queue-limits.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel } from './broker-model.ts';
import { Link } from './link.ts';
import { SimGroupSource } from './sim-group-source.ts';
import { SimPublisher } from './sim-publisher.ts';
import { SimTail } from './sim-tail.ts';

const RANGE_RECORDS = 100;
const RANGE_BYTES = 1_048_576;

/** The broker port of one process over the model. */
export function createProcessBroker(
  host: Host,
  model: BrokerModel,
  limits: Queued = QUEUE_LIMITS.publisher,
): Broker {
  const open = new Set<{ stop(timeoutMs?: number): Promise<void> }>();
  const clients = new Map<string, number>();
  /** A client that is created again has calls of its own. */
  const link = (clientId: string): Link => {
    const number = clients.get(clientId) ?? 0;
    clients.set(clientId, number + 1);
    return new Link(number === 0 ? clientId : `${clientId}.${number}`, host, model);
  };
  const opened = <Client extends { stop(timeoutMs?: number): Promise<void> }>(client: Client): Client => {
    open.add(client);
    return client;
  };
  const reader = link('reader');
  return {
    kind: 'kafka',
    createPublisher: (options) =>
      opened(new SimPublisher(options, { link: link(options.clientId), model, limits })),
    createGroupSource: (options) => {
      const links = { group: link(options.clientId), fetch: link(`${options.clientId}.fetch`) };
      return opened(new SimGroupSource(options, links, model));
    },
    createTail: (options) => opened(new SimTail(options, link(options.clientId), model)),
    readRanges: async (ranges, onMessage) => {
      for (const range of ranges) if ((await readRange(range, onMessage, reader, model)) === 'stop') return;
    },
    admin: createAdmin(link('admin'), model),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop(0)));
      open.clear();
    },
  };
}

function createAdmin(link: Link, model: BrokerModel): BrokerAdmin {
  const { topics } = model;
  return {
    createTopics: (specs) => {
      const made: string[] = [];
      return link.ask(() => {
        const created = specs.filter((spec) => topics.create(spec)).map(({ topic }) => topic);
        made.push(...created);
        return made;
      });
    },
    listTopics: () => link.ask(() => topics.names()),
    partitionCounts: (names) =>
      link.ask(() => {
        const found = names.map((name): [string, number] => [name, topics.find(name)?.logs.length ?? 0]);
        return new Map(found.filter(([, count]) => count > 0));
      }),
    topicStates: (names) =>
      link.ask(() => {
        const found = names.flatMap((name): [string, TopicState][] => {
          const topic = topics.find(name);
          const config = new Map([['compression.type', 'uncompressed']]);
          return topic === undefined ? [] : [[name, { partitions: topic.logs.length, config }]];
        });
        return new Map(found);
      }),
    offsets: (topic) =>
      link.ask(() => topics.get(topic).logs.map(({ partition, low, high }) => ({ partition, low, high }))),
    committed: (groupId, names) =>
      link.ask(() =>
        names.flatMap((topic) =>
          (topics.find(topic)?.logs ?? []).flatMap(({ partition }) => {
            const offset = model.groups.get(groupId)?.committed(topic, partition);
            return offset === undefined ? [] : [{ topic, partition, offset }];
          }),
        ),
      ),
    groups: (reads) =>
      link.ask(() => reads.map((group) => describeGroup(group, topics, model.groups.get(group.groupId)))),
  };
}

async function readRange(
  { topic, partition, from, to }: OffsetRange,
  onMessage: OnRangeMessage,
  link: Link,
  model: BrokerModel,
): Promise<ReadOn> {
  let position = from;
  while (position < to) {
    const batch = await link.ask(() => {
      const log = model.topics.get(topic).logs[partition];
      if (log === undefined) throw topicUnknown(topic, partition);
      return { ...log.read(position, RANGE_RECORDS, RANGE_BYTES), high: log.high };
    });
    for (const message of batch.messages) {
      if (message.offset >= to) return 'more';
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    position = batch.next;
    if (position >= batch.high) return 'more';
  }
  return 'more';
}
