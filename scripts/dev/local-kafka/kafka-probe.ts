import { connect } from 'node:net';

/**
 * Readiness checks of a broker in the Kafka protocol, each over its own connection, without the retries and logs of a
 * client. Formats: Kafka protocol guide, Metadata v1, FindCoordinator v0, ListGroups v0.
 */
const LOOPBACK = '127.0.0.1';
const METADATA = { key: 3, version: 1 };
const FIND_COORDINATOR = { key: 10, version: 0 };
const LIST_GROUPS = { key: 16, version: 0 };
const NO_ERROR = 0;
/** A running broker responds immediately; one that is starting may delay the response. */
const ANSWER_LIMIT_MS = 2_000;
/** Length prefix of a Kafka frame. */
const FRAME_HEADER_BYTES = 4;
const CORRELATION_BYTES = 4;

/** Ids of the brokers in the cluster, as reported by the broker on this port; empty if it does not respond. */
export async function fetchBrokerIds(port: number, host = LOOPBACK): Promise<number[]> {
  const noTopics = Buffer.alloc(4);
  const answer = await sendRequest({ host, port }, METADATA, noTopics);
  return answer === undefined ? [] : readBrokerIds(answer);
}

/**
 * Whether the broker serves consumer groups: there is a coordinator, and it has loaded its partitions of the offsets topic.
 * In a new cluster the request also creates that topic, so that the first test does not wait 0.3 s for it.
 */
export async function canServeGroups(port: number, host = LOOPBACK): Promise<boolean> {
  const coordinator = await sendRequest({ host, port }, FIND_COORDINATOR, text('local-kafka-warm-up'));
  if (coordinator === undefined || coordinator.readInt16BE(0) !== NO_ERROR) return false;
  const groups = await sendRequest({ host, port }, LIST_GROUPS, Buffer.alloc(0));
  return groups !== undefined && groups.readInt16BE(0) === NO_ERROR;
}

/** Reads the brokers of a Metadata v1 response: count, then for each broker id, host, port and nullable rack. */
export function readBrokerIds(answer: Buffer): number[] {
  const ids: number[] = [];
  let at = 4;
  for (let left = answer.readInt32BE(0); left > 0; left -= 1) {
    ids.push(answer.readInt32BE(at));
    at += 4;
    at += 2 + answer.readInt16BE(at) + 4;
    at += 2 + Math.max(0, answer.readInt16BE(at));
  }
  return ids;
}

/** Encodes a request frame: length, api key, version, correlation id, client id, body. */
export function requestFrame(api: { key: number; version: number }, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt16BE(api.key, 0);
  head.writeInt16BE(api.version, 2);
  head.writeInt32BE(1, 4);
  const content = Buffer.concat([head, text('local-kafka'), body]);
  const length = Buffer.alloc(FRAME_HEADER_BYTES);
  length.writeInt32BE(content.length);
  return Buffer.concat([length, content]);
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeInt16BE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value)]);
}

/** Sends a request; resolves with the body of the response, or undefined if there is none. */
function sendRequest(
  broker: { host: string; port: number },
  api: { key: number; version: number },
  body: Buffer,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(broker);
    const finish = (answer?: Buffer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_LIMIT_MS, () => finish());
    socket.once('error', () => finish());
    socket.once('close', () => finish());
    socket.once('connect', () => socket.write(requestFrame(api, body)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < FRAME_HEADER_BYTES) return;
      const end = FRAME_HEADER_BYTES + received.readInt32BE(0);
      if (received.length >= end) finish(received.subarray(FRAME_HEADER_BYTES + CORRELATION_BYTES, end));
    });
  });
}
