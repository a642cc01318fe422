import { createAPI, fetchV11, listOffsetsV5, type API, type Reader } from '@platformatic/kafka';
import type { FetchAnswer, FetchClient, FetchLimits } from '../../common/consuming/fetch.ts';
import { MAX_WAIT_MS } from '../../common/consuming/fetcher.ts';
import type { PartitionOffset } from '../../../message.ts';
import {
  ANSWER_TIMEOUT_MS,
  type BrokerAddress,
  type CreatePlatformaticClient,
} from '../connection/client.ts';
import { clusterMetadata } from '../connection/cluster.ts';
import { brokerError, brokerErrorName } from '../connection/errors.ts';

const FETCH_KEY = 1;
/** The last version with topic names and without compact encodings; Kafka 2.3 to 4 support it. */
const FETCH_VERSION = 11;
const MIN_BYTES = 1;
/** No fetch session: each request lists all its partitions. */
const NO_SESSION = -1;
const NO_RACK = '';
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;
const NO_LEADER_EPOCH = -1;
const NO_REPLICA = -1;
/** Stands for the first retained offset instead of a time. */
const EARLIEST = -2n;
const NO_BYTES = Buffer.alloc(0);

/** Creates clients for the fetches of one reader. An invalid response closes its connection. */
export function platformaticFetches(createClient: CreatePlatformaticClient) {
  return (clientId: string): Omit<FetchClient, 'onUnreadable'> => {
    // For fetches alone: other requests would wait behind one.
    const client = createClient({ clientId, requestTimeoutMs: MAX_WAIT_MS + ANSWER_TIMEOUT_MS });
    const queries = createClient({ clientId });
    let brokers: ReadonlyMap<number, BrokerAddress> = new Map();
    const brokerOf = (node: number): BrokerAddress => {
      const broker = brokers.get(node);
      if (broker === undefined) throw new Error(`broker ${node} is not in the cluster`);
      return broker;
    };
    return {
      leaders: async (topics) => {
        const metadata = await clusterMetadata(queries, topics);
        brokers = metadata.brokers;
        return metadata.topics;
      },
      fetch: async (node, partitions, limits) => client.send(brokerOf(node), fetchApi(partitions, limits)),
      earliest: async (node, { topic, partition }) => {
        const wanted = [
          { partitionIndex: partition, currentLeaderEpoch: NO_LEADER_EPOCH, timestamp: EARLIEST },
        ];
        const { api } = listOffsetsV5;
        const answer = await client.send(brokerOf(node), api, NO_REPLICA, READ_COMMITTED, [
          { name: topic, partitions: wanted },
        ]);
        return Number(answer.topics[0]?.partitions[0]?.offset ?? 0);
      },
      destroy: () => {
        client.destroy();
        queries.destroy();
      },
    };
  };
}

/** The request of the library; its response is read here, since the library decompresses records without a limit. */
function fetchApi(partitions: readonly PartitionOffset[], limits: FetchLimits): API<[], FetchAnswer[]> {
  const { maxWaitMs, maxBytes, maxBytesPerPartition } = limits;
  const topics = byTopicInOrder(partitions, maxBytesPerPartition);
  return createAPI<[], FetchAnswer[]>(
    FETCH_KEY,
    FETCH_VERSION,
    () =>
      fetchV11.createRequest(
        maxWaitMs,
        MIN_BYTES,
        maxBytes,
        READ_COMMITTED,
        0,
        NO_SESSION,
        topics,
        [],
        NO_RACK,
      ),
    (_correlationId, _key, _version, reader) => readAnswers(reader),
    false,
    false,
  );
}

/** Runs of partitions of the same topic: a topic may occur repeatedly, so that the order is kept. */
function byTopicInOrder(partitions: readonly PartitionOffset[], partitionMaxBytes: number) {
  const runs: { topicId: string; partitions: fetchV11.FetchRequestPartition[] }[] = [];
  for (const { topic, partition, offset } of partitions) {
    const one = {
      partition,
      currentLeaderEpoch: NO_LEADER_EPOCH,
      fetchOffset: BigInt(offset),
      lastFetchedEpoch: NO_LEADER_EPOCH,
      partitionMaxBytes,
    };
    const last = runs.at(-1);
    if (last?.topicId === topic) last.partitions.push(one);
    else runs.push({ topicId: topic, partitions: [one] });
  }
  return runs;
}

function readAnswers(reader: Reader): FetchAnswer[] {
  const answers: FetchAnswer[] = [];
  // The throttle time.
  reader.readInt32();
  const errorCode = reader.readInt16();
  if (errorCode !== 0) throw brokerError(errorCode);
  // The session.
  reader.readInt32();
  reader.readArray(
    () => {
      const topic = reader.readString(false);
      reader.readArray(() => answers.push(readAnswer(topic, reader)), false, false);
    },
    false,
    false,
  );
  return answers;
}

function readAnswer(topic: string, reader: Reader): FetchAnswer {
  const partition = reader.readInt32();
  const error = brokerErrorName(reader.readInt16());
  // The next offset to be written.
  reader.readInt64();
  const stableEnd = Number(reader.readInt64());
  // The first retained offset.
  reader.readInt64();
  const aborted = reader.readNullableArray(
    () => ({ producerId: reader.readInt64(), firstOffset: Number(reader.readInt64()) }),
    false,
    false,
  );
  // The preferred replica, which needs a rack in the request.
  reader.readInt32();
  const records = reader.readNullableBytes(false) ?? NO_BYTES;
  return { topic, partition, error, stableEnd, aborted: aborted ?? [], records };
}
