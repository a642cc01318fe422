import { connect } from 'node:net';

/**
 * A few questions to a broker in Kafka's own protocol, each over a connection of its own: enough to know that it is ready,
 * without a client's retries and logs. Formats: Kafka protocol guide, Metadata v1, FindCoordinator v0, ListGroups v0.
 */
const LOOPBACK = '127.0.0.1';
const METADATA = { key: 3, version: 1 };
const FIND_COORDINATOR = { key: 10, version: 0 };
const LIST_GROUPS = { key: 16, version: 0 };
const NO_ERROR = 0;
/** A broker that is up answers at once; one that is starting may hold the request back. */
const ANSWER_LIMIT_MS = 2_000;
/** Length prefix of a Kafka frame. */
const FRAME_HEADER_BYTES = 4;
const CORRELATION_BYTES = 4;

/** Ids of the brokers that take part in the cluster, as the one on this port knows them; empty when it does not answer. */
export async function fetchBrokerIds(port: number, host = LOOPBACK): Promise<number[]> {
  const noTopics = Buffer.alloc(4);
  const answer = await ask({ host, port }, METADATA, noTopics);
  return answer === undefined ? [] : readBrokerIds(answer);
}

/**
 * Whether consumer groups can be served: there is a coordinator and it has read its part of the offsets topic. Asking makes
 * a fresh cluster create that topic, which takes a third of a second that the first test would otherwise wait for.
 */
export async function canServeGroups(port: number, host = LOOPBACK): Promise<boolean> {
  const coordinator = await ask({ host, port }, FIND_COORDINATOR, text('local-kafka-warm-up'));
  if (coordinator === undefined || coordinator.readInt16BE(0) !== NO_ERROR) return false;
  const groups = await ask({ host, port }, LIST_GROUPS, Buffer.alloc(0));
  return groups !== undefined && groups.readInt16BE(0) === NO_ERROR;
}

/** Reads the head of a Metadata v1 answer: count, then per broker id, host, port and nullable rack. */
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

/** One request frame: length, api key, version, correlation id, client id, body. */
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

/** The answer's body, or undefined when none came. */
function ask(
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
