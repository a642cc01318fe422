import { topicUnknown } from '../../../shared/messaging/broker-errors.ts';
import type { OffsetRange } from '../../../shared/messaging/message.ts';
import type { Broker, BrokerAdmin, OnRangeMessage, ReadOn, Queued } from '../../../shared/messaging/ports.ts';
import { QUEUE_LIMITS } from '../../../shared/platform/queue-limits.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel } from './broker-model.ts';
import { Link } from './link.ts';
import { SimGroupSource } from './sim-group-source.ts';
import { SimPublisher } from './sim-publisher.ts';
import { SimTail } from './sim-tail.ts';

const RANGE_RECORDS = 100;
const RANGE_BYTES = 1_048_576;

export function createProcessBroker(
  host: Host,
  model: BrokerModel,
  limits: Queued = QUEUE_LIMITS.publisher,
): Broker {
  const open = new Set<{ stop(timeoutMs?: number): Promise<void> }>();
  const clients = new Map<string, number>();
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
      model.reads.set(options.groupId, options);
      return opened(new SimGroupSource(options, link(options.clientId), model));
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

function createAdmin(link: Link, { admin }: BrokerModel): BrokerAdmin {
  return {
    createTopics: (specs) => link.ask(() => admin.createTopics(specs)),
    listTopics: () => link.ask(() => admin.listTopics()),
    partitionCounts: (topics) => link.ask(() => admin.partitionCounts(topics)),
    offsets: (topic) => link.ask(() => admin.offsets(topic)),
    committed: (groupId, topics) => link.ask(() => admin.committed(groupId, topics)),
    groups: (reads) => link.ask(() => admin.groups(reads)),
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
