import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { QueueSize } from '../../../../shared/platform/queues/queue-size.ts';
import { createPipelinedRequests } from '../../../../workers/ingress/server/pipelined-requests.ts';

const REQUEST = 'GET / HTTP/1.1\r\n\r\n';
/** 135,000 bytes, of which Node reads 64 KiB at once. */
const SENT = 7_500;
const READ_AT_ONCE = Math.ceil(65_536 / REQUEST.length);

/** A server on which all requests are admitted as pipelined ones, and whose turns of the event loop are held until `release`. */
async function openServer() {
  const turns: (() => void)[] = [];
  let isHeld = true;
  let nowMs = 0;
  const queues: (() => readonly QueueSize[])[] = [];
  const pipelined = createPipelinedRequests({
    monotonic: { elapsedMs: () => (nowMs += isHeld ? 10 : 0.01) },
    timers: {
      schedule: () => () => undefined,
      nextTurn: (callback) => void (isHeld ? turns.push(callback) : setImmediate(callback)),
    },
    metrics: { watchQueues: (read) => void queues.push(read) },
    newId: () => 'id',
  });
  const server = createServer({ requireHostHeader: false }, (request, response) =>
    pipelined.admit(request, response, () => response.end()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    port: (server.address() as AddressInfo).port,
    waiting: () => queues[0]?.()[0]?.size,
    release: () => {
      isHeld = false;
      for (const turn of turns.splice(0)) setImmediate(turn);
    },
  };
}

/** Sends pipelined requests, and counts the responses by their status. */
function flood(port: number) {
  const counts = { 200: 0, 503: 0, isEnded: false };
  const peer = connect(port, '127.0.0.1', () => peer.write(REQUEST.repeat(SENT)));
  onTestFinished(() => void peer.destroy());
  let rest = '';
  peer.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1');
    counts[200] += text.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
    counts[503] += text.match(/HTTP\/1\.1 503 (?=[^]*Connection: close\r\n)/g)?.length ?? 0;
    rest = text.slice(text.lastIndexOf('HTTP/1.1 ') + 1).slice(-200);
  });
  peer.on('end', () => (counts.isEnded = true)).on('error', () => undefined);
  return counts;
}

it('reads no more of a connection while requests of it wait for their turn, and answers all', async () => {
  const server = await openServer();
  const counts = flood(server.port);
  await expect.poll(server.waiting).toBeGreaterThan(0);
  // Several turns in which Node would read the rest.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(server.waiting()).toBeLessThanOrEqual(READ_AT_ONCE);
  server.release();
  await expect.poll(() => counts[200], { timeout: 10_000 }).toBe(SENT);
  expect(server.waiting()).toBe(0);
});

it('closes a connection after a 503 in the place of its next response when 20,000 requests wait', async () => {
  const server = await openServer();
  const connections = Array.from({ length: 6 }, () => flood(server.port));
  await expect.poll(server.waiting, { timeout: 10_000 }).toBe(20_000);
  server.release();
  const refused = () => connections.filter((counts) => counts[503] === 1 && counts.isEnded);
  await expect.poll(refused, { timeout: 10_000 }).toHaveLength(1);
  expect(refused()[0]?.[200]).toBeGreaterThan(0);
  const served = connections.filter((counts) => counts[503] === 0);
  await expect
    .poll(() => served.map((counts) => counts[200]), { timeout: 10_000 })
    .toEqual(Array(5).fill(SENT));
});
