import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { platformaticClients } from '../../../../../../shared/messaging/kafka/platformatic/connection/client.ts';
import { clusterMetadata } from '../../../../../../shared/messaging/kafka/platformatic/connection/cluster.ts';
import { fetchFrom } from '../../../../../../shared/messaging/kafka/platformatic/consuming/fetch.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import { fetchResponse } from '../../../../../support/builders/record-batches.ts';
import { startFakeCluster } from '../../../../../support/fakes/kafka-cluster.ts';

const PARTITIONS = 4;
const CALLS = 300;
/** A response with a damaged length may never end: far less than the usual limit. */
const REQUEST_TIMEOUT_MS = 300;
const LENGTH_BYTES = 4;

/** Kafka's numbers of requests. */
const FETCH = 1;
const METADATA = 3;
const SASL_HANDSHAKE = 17;
const API_VERSIONS = 18;
const SASL_AUTHENTICATE = 36;

type Damage = (response: Buffer) => Buffer | 'reset';

/** Brokers behind a proxy that may damage responses, and a client whose requests all go through the proxy. */
async function setUp() {
  const cluster = await startFakeCluster(1, PARTITIONS);
  const [target = ''] = cluster.brokers;
  const state: { damage: Damage | undefined } = { damage: undefined };
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const broker = connect(Number(target.split(':')[1]), '127.0.0.1');
    for (const one of [socket, broker]) sockets.add(one.on('error', () => undefined));
    socket.pipe(broker);
    broker.on('data', (bytes) => {
      const sent = state.damage === undefined ? bytes : state.damage(Buffer.from(bytes));
      if (sent === 'reset') socket.resetAndDestroy();
      else socket.write(sent);
    });
    broker.on('close', () => socket.destroy());
    socket.on('close', () => broker.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const createClient = platformaticClients({ brokers: [address] }, silentLog);
  const client = createClient({ clientId: 'test', requestTimeoutMs: REQUEST_TIMEOUT_MS });
  onTestFinished(() => {
    client.destroy();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    cluster.close();
  });
  return { client, state };
}

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('connections with damaged responses', () => {
  test.each<[string, (length: number) => number]>([
    ['negative', () => -5],
    ['zero', () => 0],
    ['too large', () => 2 ** 31 - 1],
    ['one byte too small', (length) => length - 1],
  ])('fail their calls and are replaced if a length is %s', async (_, lengthOf) => {
    const { client, state } = await setUp();
    await clusterMetadata(client, ['t']);
    state.damage = (response) => {
      response.writeInt32BE(lengthOf(response.readInt32BE(0)), 0);
      return response;
    };
    await expect(clusterMetadata(client, ['t'])).rejects.toBeInstanceOf(Error);
    state.damage = undefined;
    const { topics } = await clusterMetadata(client, ['t']);
    expect(topics.get('t')?.leaders).toEqual([0, 0, 0, 0]);
  });

  test('settle every call and recover, whatever bytes are changed', async () => {
    const { client, state } = await setUp();
    const random = numbers(7);
    const outcomes = { answered: 0, failed: 0 };
    for (let call = 0; call < CALLS; call += 1) {
      state.damage = (response) => {
        if (random() < 0.05) return 'reset';
        if (random() < 0.03) return response.subarray(0, Math.floor(random() * response.length));
        const at = Math.floor(random() * response.length);
        // Longer waits for lengths that are too large would only take time.
        if (at >= LENGTH_BYTES || random() < 0.1) response[at] = Math.floor(random() * 256);
        return response;
      };
      await clusterMetadata(client, ['t', 'u']).then(
        () => (outcomes.answered += 1),
        () => (outcomes.failed += 1),
      );
    }
    expect(outcomes.answered).toBeGreaterThan(CALLS / 10);
    expect(outcomes.failed).toBeGreaterThan(CALLS / 10);
    state.damage = undefined;
    const { topics } = await clusterMetadata(client, ['t']);
    expect(topics.get('t')?.leaders).toEqual([0, 0, 0, 0]);
  });
});

describe('a connection to a broker that accepts it and never answers', () => {
  test('fails after five seconds, however long its requests may take', async () => {
    const frozen = createServer((socket) => socket.on('error', () => undefined).resume());
    frozen.listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    const { port } = frozen.address() as AddressInfo;
    const createClient = platformaticClients({ brokers: [`127.0.0.1:${port}`] }, silentLog);
    const client = createClient({ clientId: 'test', requestTimeoutMs: 60_000 });
    onTestFinished(() => {
      client.destroy();
      frozen.close();
    });
    const startedAt = performance.now();
    await expect(client.connect()).rejects.toBeInstanceOf(Error);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

test.skipIf(!hasIpv6)(
  'an open connection to a broker with an IPv6 address is used for any request',
  async () => {
    const cluster = await startFakeCluster(1, PARTITIONS, '::1');
    const port = Number(cluster.brokers[0]?.split(':').at(-1));
    // Nothing listens on the only address in the settings.
    const client = platformaticClients({ brokers: ['127.0.0.1:1'] }, silentLog)({ clientId: 'test' });
    onTestFinished(() => {
      client.destroy();
      cluster.close();
    });
    await client.connectTo({ host: '::1', port });
    const { topics } = await clusterMetadata(client, ['t']);
    expect(topics.get('t')?.leaders).toEqual([0, 0, 0, 0]);
  },
);

/** A broker that throttles each fetch for this time: it responds at once, and then does not read the connection (KIP-219). */
async function startThrottlingBroker(throttleMs: number) {
  const fetches: number[] = [];
  const broker = createServer((socket) => {
    let unread = Buffer.alloc(0);
    let isMuted = false;
    const readNext = (): void => {
      if (isMuted || unread.length === 0) return;
      const request = unread;
      unread = request.subarray(LENGTH_BYTES + request.readInt32BE(0));
      const isFetch = request.readInt16BE(LENGTH_BYTES) === FETCH;
      // The versions of fetch: 11 to 11.
      const body = isFetch ? fetchResponse([], throttleMs) : Buffer.from('0000000000010001000b000b', 'hex');
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeInt32BE(LENGTH_BYTES + body.length);
      socket.write(Buffer.concat([length, request.subarray(8, 12), body]));
      if (!isFetch) return;
      fetches.push(performance.now());
      isMuted = true;
      setTimeout(() => {
        isMuted = false;
        readNext();
      }, throttleMs).unref();
    };
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      readNext();
    });
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  const address = { host: '127.0.0.1', port };
  const createClient = platformaticClients({ brokers: [`127.0.0.1:${port}`] }, silentLog);
  const client = createClient({ clientId: 'test', requestTimeoutMs: REQUEST_TIMEOUT_MS });
  onTestFinished(() => {
    client.destroy();
    broker.close();
  });
  const limits = { maxWaitMs: 0, maxBytes: 1, maxBytesPerPartition: 1 };
  return { client, fetches, fetch: () => fetchFrom(client, address, [], limits) };
}

describe('a connection that the broker throttles', () => {
  test('sends nothing for that time, which may be longer than a request may take', async () => {
    const { fetch, fetches } = await startThrottlingBroker(2 * REQUEST_TIMEOUT_MS);
    await fetch();
    await Promise.all([fetch(), fetch()]);
    expect(fetches).toHaveLength(3);
    const [first = 0, second = 0] = fetches;
    expect(second - first).toBeGreaterThanOrEqual(2 * REQUEST_TIMEOUT_MS - 5);
  });

  test('is replaced instead if the time is longer than a minute', async () => {
    const { fetch, fetches } = await startThrottlingBroker(60_001);
    await fetch();
    await fetch();
    expect(fetches).toHaveLength(2);
  });

  test('fails the requests that wait when it is closed', async () => {
    const { client, fetch } = await startThrottlingBroker(60_000);
    await fetch();
    const waiting = fetch();
    setTimeout(() => client.destroy(), 20);
    await expect(waiting).rejects.toMatchObject({ code: 'PLT_KFK_NETWORK' });
  });
});

/** A broker with logins that are valid for this time, which it renews as Kafka does, and the requests that it received. */
async function startLoginBroker(lifetimeMs: number) {
  const lifetime = Buffer.alloc(8);
  lifetime.writeBigInt64BE(BigInt(lifetimeMs));
  const responses = new Map([
    [API_VERSIONS, '000000000002002400000001000300010001'],
    [METADATA, '00000000'.repeat(3)],
    [SASL_HANDSHAKE, '000000000000'],
    [SASL_AUTHENTICATE, `0000ffff00000000${lifetime.toString('hex')}`],
  ]);
  const sockets: Socket[] = [];
  const requests: number[] = [];
  const respond = (socket: Socket, request: Buffer, renewal: { isPending: boolean }): void => {
    const kind = request.readInt16BE(0);
    requests.push(kind);
    // Between the two requests of a login Kafka accepts no other one.
    if (renewal.isPending && kind !== SASL_AUTHENTICATE) socket.destroy();
    renewal.isPending = kind === SASL_HANDSHAKE;
    // The newer version of the response with versions has a last field.
    const isLong = kind === API_VERSIONS && request.readInt16BE(2) > 0;
    const body = Buffer.from(`${responses.get(kind) ?? ''}${isLong ? '00000000' : ''}`, 'hex');
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeInt32BE(LENGTH_BYTES + body.length);
    const response = Buffer.concat([length, request.subarray(4, 8), body]);
    setTimeout(() => socket.write(response), renewal.isPending ? 20 : 0);
  };
  const broker = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    const renewal = { isPending: false };
    socket.on('data', (bytes) => {
      for (let at = 0; at < bytes.length; at += LENGTH_BYTES + bytes.readInt32BE(at)) {
        respond(socket, bytes.subarray(at + LENGTH_BYTES), renewal);
      }
    });
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = `127.0.0.1:${(broker.address() as AddressInfo).port}`;
  const sasl = { mechanism: 'plain', username: 'u', password: 'p' } as const;
  const client = platformaticClients({ brokers: [address], sasl }, silentLog)({ clientId: 'test' });
  onTestFinished(() => {
    client.destroy();
    broker.close();
  });
  return { client, sockets, requests };
}

describe('a connection with a login', () => {
  test('leaves no timer when the broker closes it', async () => {
    const { client, sockets } = await startLoginBroker(60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const cleared = vi.spyOn(globalThis, 'clearInterval');
    const set = vi.spyOn(globalThis, 'setTimeout');
    await client.connect();
    const login = set.mock.results.find((_, call) => set.mock.calls[call]?.[1] === 48_000)?.value;
    expect(login).toBeDefined();
    sockets[0]?.end();
    await expect.poll(() => client.isConnected()).toBe(false);
    expect(cleared.mock.calls.map(([timer]) => timer)).toContain(login);
  });

  test('renews it in place, while requests wait', async () => {
    const { client, sockets, requests } = await startLoginBroker(200);
    const logins = () => requests.filter((kind) => kind === SASL_HANDSHAKE).length;
    while (logins() < 4) {
      await Promise.all([1, 2, 3].map(() => clusterMetadata(client, ['t'])));
    }
    expect(sockets).toHaveLength(1);
  });

  test('is not renewed at once if it is valid for more than a month', async () => {
    const { client, requests } = await startLoginBroker(40 * 24 * 60 * 60 * 1_000);
    await client.connect();
    for (let call = 0; call < 5; call += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      await clusterMetadata(client, ['t']);
    }
    expect(requests.filter((kind) => kind === SASL_HANDSHAKE)).toHaveLength(1);
  });

  test('fails the requests that wait when the broker closes it, and is replaced', async () => {
    const { client, sockets, requests } = await startLoginBroker(200);
    await client.connect();
    await expect.poll(() => requests.filter((kind) => kind === SASL_HANDSHAKE).length).toBe(2);
    const waiting = clusterMetadata(client, ['t']);
    sockets[0]?.destroy();
    await expect(waiting).rejects.toMatchObject({ code: 'PLT_KFK_NETWORK' });
    await clusterMetadata(client, ['t']);
    expect(sockets).toHaveLength(2);
  });
});

/** A broker in another thread, which answers while this one is blocked. */
const THREAD = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request) => {
      // The versions of metadata and of versions; then metadata without brokers and topics.
      const isVersions = request.readInt16BE(4) === 18;
      const body = Buffer.from(isVersions ? '0000' + '00000001' + '000300010001' : '00000000' + '00000000' + '00000000', 'hex');
      const length = Buffer.alloc(4);
      length.writeInt32BE(4 + body.length);
      socket.write(Buffer.concat([length, request.subarray(8, 12), body]));
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('a response that arrived while this process stalled is not taken for silence', async () => {
  const thread = new Worker(THREAD, { eval: true });
  const [port] = (await once(thread, 'message')) as [number];
  const createClient = platformaticClients({ brokers: [`127.0.0.1:${port}`] }, silentLog);
  const client = createClient({ clientId: 'test', requestTimeoutMs: REQUEST_TIMEOUT_MS });
  onTestFinished(async () => {
    client.destroy();
    await thread.terminate();
  });
  await client.connect();
  const answer = clusterMetadata(client, ['t']);
  // The request is written before the stall.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const endAt = performance.now() + 2 * REQUEST_TIMEOUT_MS;
  while (performance.now() < endAt);
  expect((await answer).brokers.size).toBe(0);
});
