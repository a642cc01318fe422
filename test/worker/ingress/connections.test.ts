import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { createConnections, type Connections } from '../../../workers/ingress/server/connections.ts';
import { listenOnAddresses } from '../../../workers/ingress/server/listen.ts';
import { ECHO_PATH, openTestIngress } from '../../support/worlds/ingress-fixture.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';

/** More than the event loop accepts in a few turns, less than the queue of a port holds. */
const QUEUED = 200;
const LIMIT_MS = 10_000;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HEADERS = `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

/** Opens connections, each with a request, in a thread: they are in the queue before the event loop here runs again. */
const CLIENT = `
  const { connect } = require('node:net');
  const { workerData: { port, count, flags }, parentPort } = require('node:worker_threads');
  const flag = new Int32Array(flags);
  const ends = {};
  let open = count;
  const end = (how) => {
    ends[how] = (ends[how] ?? 0) + 1;
    if (--open === 0) parentPort.postMessage(ends);
  };
  for (let i = 0; i < count; i += 1) {
    let text = '';
    let failure;
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n', () => {
      if (Atomics.add(flag, 0, 1) === count - 1) Atomics.notify(flag, 0);
      }));
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', (error) => (failure = error.code));
    socket.on('close', () => end(failure ?? text.slice(9, 12)));
  }`;

async function listen(
  handler: RequestListener,
  limit?: number,
): Promise<{ port: number; connections: Connections }> {
  const server = createServer(handler);
  const connections = createConnections(server, limit);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

/** A connection whose request was answered and that is kept alive. */
async function keepAlive(port: number) {
  const kept = await openRawHttp(port);
  const errors: unknown[] = [];
  kept.socket.on('error', (error) => errors.push(error));
  kept.send(GET);
  const first = await kept.received(hasBody);
  return { ...kept, errors, afterwards: async () => (await kept.received(() => false)).slice(first.length) };
}

describe('a port that is closed', () => {
  it('returns 503 to every connection that waits in its queue, then refuses others', async () => {
    const { port, connections } = await listen((_request, response) => response.end('served'));
    const flags = new SharedArrayBuffer(4);
    const client = new Worker(CLIENT, { eval: true, workerData: { port, count: QUEUED, flags } });
    onTestFinished(async () => void (await client.terminate()));
    const ends = new Promise((resolve) => client.once('message', resolve));
    const flag = new Int32Array(flags);
    // Blocks the event loop, as a long turn would, until all requests have been sent.
    for (let sent = 0; sent < QUEUED; sent = Atomics.load(flag, 0)) {
      if (Atomics.wait(flag, 0, sent, LIMIT_MS) === 'timed-out')
        throw new Error(`${sent} requests were sent`);
    }
    await connections.stopListening(LIMIT_MS);
    expect(await ends).toEqual({ 503: QUEUED });
    const refused = new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is closed in the given time while connections keep coming', async () => {
    const { port, connections } = await listen((_request, response) => response.end());
    const timer = setInterval(
      () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .end(GET),
      0,
    );
    const startedMs = performance.now();
    await connections.stopListening(100);
    clearInterval(timer);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});

describe('an idle connection', () => {
  it('keeps nothing of its last request, whose listeners may hold its body', async () => {
    const answered: WeakRef<object>[] = [];
    const { port, connections } = await listen((request, response) => {
      answered.push(new WeakRef(request));
      response.end('served');
    });
    await keepAlive(port);
    const isKept = (): boolean => {
      collectGarbage();
      return answered.some((request) => request.deref() !== undefined);
    };
    await expect.poll(isKept, { timeout: 2_000 }).toBe(false);
    expect(answered).toHaveLength(1);
    expect(connections.count()).toBe(1);
  });
});

describe('an idle connection that is ended', () => {
  it('returns 503 to a request that is in transit, without a reset', async () => {
    const served: string[] = [];
    const { port, connections } = await listen((request, response) => {
      if (connections.isEnded(request)) request.resume();
      else {
        served.push(request.url ?? '');
        response.end('served');
      }
    });
    const kept = await keepAlive(port);
    await expect.poll(() => (connections.endIdle(0), connections.ended())).toBe(1);
    kept.send(GET);
    const answer = await kept.afterwards();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toContain('"code":"not-ready"');
    expect(kept.errors).toEqual([]);
    expect(served).toEqual(['/']);
    await expect.poll(() => connections.count()).toBe(0);
  });

  it('is none of those with a request in progress, a partial request, or a recent response', async () => {
    const answer = Promise.withResolvers<void>();
    const { port, connections } = await listen((request, response) => {
      if (request.url === '/slow') void answer.promise.then(() => response.end('served'));
      else response.end('served');
    });
    const slow = await openRawHttp(port);
    slow.send(GET.replace('/', '/slow'));
    const partial = await openRawHttp(port);
    partial.send(GET.slice(0, 20));
    const recent = await keepAlive(port);
    await expect.poll(() => connections.count()).toBe(3);
    connections.endIdle(LIMIT_MS);
    expect(connections.ended()).toBe(0);
    await expect.poll(() => (connections.endIdle(0), connections.ended())).toBe(1);
    expect(await recent.afterwards()).toMatch(/^HTTP\/1\.1 503 /);
    partial.send(GET.slice(20));
    answer.resolve();
    expect(await partial.received(hasBody)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await slow.received(hasBody)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('an ended connection that its peer does not close', () => {
  it('is destroyed after a second', async () => {
    const { port, connections } = await listen((_request, response) => response.end());
    const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    peer.on('error', () => undefined).resume();
    onTestFinished(() => void peer.destroy());
    await expect.poll(() => (connections.endIdle(0), connections.ended())).toBe(1);
    await expect.poll(() => (connections.endIdle(0), connections.count())).toBe(0);
  });
});

describe('an ingress with two addresses', () => {
  it('counts the connections of both, and ends them at a shutdown without a reset', async () => {
    const metrics = createMetrics();
    const ingress = await openTestIngress({
      metrics,
      listen: (app, { port }, connections) =>
        listenOnAddresses(app, { hosts: ['127.0.0.1', '127.0.0.2'], port }, connections),
    });
    const ends = ['127.0.0.1', '127.0.0.2'].map((host) => {
      const peer = connect(ingress.port, host);
      let text = '';
      peer.on('data', (chunk) => (text += chunk.toString()));
      const { promise, resolve } = Promise.withResolvers<string>();
      peer.on('error', ({ message }) => resolve(message)).on('close', () => resolve(text));
      return promise;
    });
    await expect.poll(() => metrics.text()).toContain('plat_ingress_connections 2');
    await ingress.stop(LIMIT_MS);
    for (const end of await Promise.all(ends)) expect(end).toMatch(/^HTTP\/1\.1 503 /);
    for (const host of ['127.0.0.1', '127.0.0.2']) {
      const refused = new Promise((resolve) => connect(ingress.port, host).once('error', resolve));
      expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it('serves the first one if the machine does not have the second', async () => {
    const { url } = await openTestIngress({
      listen: (app, { port }, connections) =>
        listenOnAddresses(app, { hosts: ['127.0.0.1', '192.0.2.1'], port }, connections),
    });
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });
});

/** Listens on the addresses; resolves with the port, or with the code of the error. */
async function bind(hosts: readonly string[], port: number, connections: Socket[] = []) {
  // A process that gets no processor for a moment between its check of the port and its first socket.
  const app = fastify().addHook('onReady', () => sleep(100));
  const servers: Server[] = [app.server];
  const acceptFrom = (server: Server): void => {
    servers.push(server);
  };
  onTestFinished(() => {
    for (const server of servers) server.close();
  });
  const bound = await listenOnAddresses(
    app,
    { hosts, port },
    { ...createConnections(app.server), acceptFrom },
  ).catch(({ code }: NodeJS.ErrnoException) => code);
  for (const server of servers)
    server.on('connection', (socket) => connections.push(socket.on('error', () => undefined)));
  return bound;
}

describe('the port of an ingress', () => {
  it('belongs to the first of two instances that start at the same time', async () => {
    const port = Number(await bind(['127.0.0.9'], 0));
    const first = bind(['127.0.0.1'], port);
    await sleep(50);
    expect(await Promise.all([first, bind(['127.0.0.1'], port)])).toEqual([port, 'EADDRINUSE']);
  });

  it('is not shared with another instance on the second address either', async () => {
    const [own, others]: Socket[][] = [[], []];
    const port = Number(await bind(['127.0.0.2'], 0, own));
    expect(await bind(['127.0.0.1', '127.0.0.2'], port, others)).toBe(port);
    for (let opened = 0; opened < 40; opened += 1) {
      const peer = connect(port, '127.0.0.2').on('error', () => undefined);
      onTestFinished(() => void peer.destroy());
    }
    await expect.poll(() => [own?.length, others?.length]).toEqual([40, 0]);
  });
});

describe('the shutdown of an ingress', () => {
  it('sends no second response to a connection that it is closing after bytes that are not HTTP', async () => {
    const ingress = await openTestIngress({});
    const peer = connect({ port: ingress.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    peer.on('data', (chunk) => (text += chunk.toString())).on('error', () => undefined);
    onTestFinished(() => void peer.destroy());
    peer.write('not HTTP\r\n\r\n');
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 400 /);
    await ingress.stop(LIMIT_MS);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('returns 503 without a reset to a caller that is still sending its body', async () => {
    const ingress = await openTestIngress({});
    const caller = await openRawHttp(ingress.port);
    const errors: unknown[] = [];
    caller.socket.on('error', (error) => errors.push(error));
    const stopped = ingress.stop(LIMIT_MS);
    caller.send(`${HEADERS}Content-Length: 100000\r\n\r\n{`);
    expect(await caller.received(hasBody)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
    expect(caller.socket.writable).toBe(true);
    caller.send(Buffer.alloc(50_000, ' '));
    caller.send(Buffer.alloc(49_999, ' '));
    await caller.closed();
    await stopped;
    expect(errors).toEqual([]);
  });

  it('closes connections without a request after half a second, with 503 for a request in transit', async () => {
    const ingress = await openTestIngress({});
    const opened = await openRawHttp(ingress.port);
    await ingress.stop(LIMIT_MS);
    expect(await opened.received(hasBody)).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('asks a monitor to close its kept-alive connection too', async () => {
    const ingress = await openTestIngress({});
    const monitor = await openRawHttp(ingress.port);
    const stopped = ingress.stop(LIMIT_MS);
    monitor.send('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await monitor.received(hasBody)).toMatch(/\r\nconnection: close\r\n/i);
    await monitor.closed();
    await stopped;
  });
});

describe('more connections than the limit', () => {
  const LIMIT = 4;

  /** A server with the limit, and a connection of each kind that waits for its caller, the oldest first. */
  async function openWaiting() {
    const answer = Promise.withResolvers<void>();
    const { port, connections } = await listen((request, response) => {
      if (request.url === '/slow') void answer.promise.then(() => response.end('served'));
      else if (request.method === 'POST') request.resume().on('end', () => response.end('served'));
      else response.end('served');
    }, LIMIT);
    const open = async (text: string) => {
      const before = connections.count();
      const raw = await openRawHttp(port);
      await expect.poll(() => connections.count()).toBe(before + 1);
      raw.send(text);
      return raw;
    };
    const slow = await open(GET.replace('/', '/slow'));
    const silent = await open('');
    const partial = await open(GET.slice(0, 20));
    const body = await open(`${HEADERS}Content-Length: 100\r\n\r\n{`);
    return { port, connections, answer, slow, halfOpen: [silent, partial, body] };
  }

  it('end those that wait for their callers, the oldest first, and serve every new one', async () => {
    const { port, connections, answer, slow, halfOpen } = await openWaiting();
    for (const [number, waiting] of halfOpen.entries()) {
      const fresh = await openRawHttp(port);
      fresh.send(GET);
      expect(await fresh.received(hasBody)).toMatch(/^HTTP\/1\.1 200 /);
      const end = await waiting.received(hasBody);
      expect(end).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 1\r\n[^]*\r\nConnection: close\r\n/);
      expect(end).toContain('"code":"overloaded"');
      expect(connections.replaced()).toBe(number + 1);
    }
    answer.resolve();
    expect(await slow.received(hasBody)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('end a connection that is idle since its last response, but none whose request is being served', async () => {
    const { port, connections } = await listen((request, response) => {
      if (request.url !== '/never') response.end('served');
    }, 2);
    const served = await openRawHttp(port);
    served.send(GET.replace('/', '/never'));
    const kept = await keepAlive(port);
    const fresh = await keepAlive(port);
    expect(await kept.afterwards()).toMatch(/^HTTP\/1\.1 503 /);
    expect(connections.replaced()).toBe(1);
    expect(served.socket.readable && fresh.socket.readable).toBe(true);
  });

  it('end no connection whose request is being served while its caller sends the next one', async () => {
    const answer = Promise.withResolvers<void>();
    const urls: unknown[] = [];
    const { port, connections } = await listen(({ url }, response) => {
      urls.push(url);
      if (url === '/slow') void answer.promise.then(() => response.end('served'));
    }, 1);
    const served = await openRawHttp(port);
    served.send(`${GET.replace('/', '/slow')}${HEADERS}Content-Length: 100\r\n\r\n{`);
    await expect.poll(() => urls).toEqual(['/slow', ECHO_PATH]);
    const fresh = await openRawHttp(port);
    expect(await fresh.received(hasBody)).toMatch(/^HTTP\/1\.1 503 /);
    answer.resolve();
    expect(await served.received(hasBody)).toMatch(/^HTTP\/1\.1 200 [^]*served$/);
    expect(connections.replaced()).toBe(1);
  });

  it('end those whose callers do not read their responses, but none that is owed an earlier one', async () => {
    const large = 'x'.repeat(400 * 1_024);
    let requests = 0;
    const { port, connections } = await listen((request, response) => {
      requests += 1;
      if (request.url === '/large') response.end(large);
      else if (request.url !== '/never') response.end('served');
    }, LIMIT);
    const openUnread = async (text: string): Promise<void> => {
      const before = requests;
      const peer = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void peer.destroy());
      peer.pause().write(text);
      await expect.poll(() => requests).toBeGreaterThan(before);
    };
    await openUnread(GET.replace('/', '/never') + GET);
    await expect.poll(() => requests).toBe(2);
    for (let opened = 1; opened < LIMIT; opened += 1) await openUnread(GET.replace('/', '/large').repeat(30));
    for (let opened = 1; opened < LIMIT; opened += 1) {
      const fresh = await openRawHttp(port);
      fresh.send(GET);
      expect(await fresh.received(hasBody)).toMatch(/^HTTP\/1\.1 200 /);
      expect(connections.replaced()).toBe(opened);
      expect(connections.ended()).toBe(opened);
    }
    const idle = await keepAlive(port);
    expect(idle.errors).toEqual([]);
    expect(connections.replaced()).toBe(LIMIT);
  });
});
