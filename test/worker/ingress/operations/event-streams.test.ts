import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import {
  createEventStreams,
  type EventStreamsOptions,
} from '../../../../workers/ingress/operations/system/event-streams.ts';
import { openEventStream } from '../../../support/event-stream.ts';

const FIRST = '{"first":true}';
const NEVER_MS = 600_000;

/** A server of streams only. */
async function serve(limits: EventStreamsOptions['limits'] = {}) {
  const watched: boolean[] = [];
  const streams = createEventStreams({
    timers: systemTimers,
    event: 'state',
    onWatched: (isWatched) => watched.push(isWatched),
    limits,
  });
  const app = fastify();
  app.get('/', (request, reply) => {
    const caller = String(request.headers['x-caller'] ?? 'someone');
    const full = streams.refusal(caller);
    if (full === undefined) streams.open(reply, caller, FIRST);
    else void reply.code(503).send(full);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`;
  return { streams, watched, open: (caller = 'someone') => openEventStream(url, { 'x-caller': caller }) };
}

it('a stream begins with the current data and continues with what is sent', async () => {
  const { streams, open } = await serve();
  const reader = await open();
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  await expect.poll(() => reader.events).toEqual([{ event: 'state', data: FIRST }]);
  expect(reader.body()).toMatch(/^retry: \d+\n\n/);
  streams.send('{"n":1}');
  streams.send('{"n":2}');
  await expect.poll(() => reader.events.at(-1)?.data).toBe('{"n":2}');
});

it('quiet streams get comments, and none once they are closed', async () => {
  const { streams, open, watched } = await serve({ heartbeatMs: 10 });
  const reader = await open();
  await expect.poll(() => reader.comments.length).toBeGreaterThan(2);
  expect(new Set(reader.comments)).toEqual(new Set(['heartbeat']));
  expect(watched).toEqual([true]);
  reader.close();
  await expect.poll(() => streams.count()).toBe(0);
  expect(watched).toEqual([true, false]);
});

it('streams of one caller and of all callers are limited, and a closed one makes room', async () => {
  const { open } = await serve({ streams: 3, streamsOfCaller: 2 });
  const first = await open('one');
  await open('one');
  const refused = await open('one');
  await refused.ended;
  expect([refused.status, refused.body()]).toEqual([503, 'caller']);
  await open('two');
  const full = await open('three');
  await full.ended;
  expect([full.status, full.body()]).toEqual([503, 'instance']);
  first.close();
  await expect.poll(async () => (await open('three')).status).toBe(200);
});

it('a reader that does not read takes no memory: it gets the newest data once it reads again', async () => {
  const { streams, open } = await serve({ heartbeatMs: 5 });
  const slow = await open('slow');
  const fast = await open('fast');
  slow.pause();
  const before = process.memoryUsage();
  const filling = 'x'.repeat(262_144);
  // 200 MB, of which the buffers of the system take a few.
  for (let sent = 1; sent <= 800; sent += 1) {
    streams.send(JSON.stringify({ sent, filling }));
    if (sent % 10 === 0) await until(() => lastOf(fast.events) === sent);
  }
  const { external, arrayBuffers } = process.memoryUsage();
  expect(external + arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(50_000_000);
  slow.resume();
  await expect.poll(() => lastOf(slow.events)).toBe(800);
  expect(slow.events.length).toBeLessThan(400);
});

it('closing ends every stream with an event that says so, and with the end of its connection', async () => {
  const { streams, open } = await serve();
  const readers = await Promise.all(Array.from({ length: 20 }, (_, index) => open(`caller ${index}`)));
  streams.close();
  await Promise.all(readers.map(({ ended }) => ended));
  for (const { events } of readers) {
    expect(events.at(-1)).toEqual({ event: 'end', data: '{"reason":"stopping"}' });
  }
  await expect.poll(() => streams.count()).toBe(0);
});

it('a stream ends after its time, so that its reader shows its token again', async () => {
  const { open } = await serve({ durationMs: 50, heartbeatMs: NEVER_MS });
  const reader = await open();
  await reader.ended;
  expect(reader.events.at(-1)).toEqual({ event: 'end', data: '{"reason":"renew"}' });
});

it('sending to a reader that has just gone does not affect the others', async () => {
  const { streams, open } = await serve();
  const gone = await open('gone');
  const other = await open('other');
  gone.close();
  for (let sent = 1; sent <= 20; sent += 1) {
    streams.send(JSON.stringify({ sent }));
    await sleep(1);
  }
  await expect.poll(() => lastOf(other.events)).toBe(20);
});

/** As `expect.poll`, without its pauses. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(1);
}

function lastOf(events: readonly { readonly data: string }[]): number | undefined {
  return (JSON.parse(events.at(-1)?.data ?? '{}') as { sent?: number }).sent;
}

it('nothing is written to a stream that has ended', async () => {
  const { streams, open } = await serve();
  const reader = await open();
  await expect.poll(() => reader.events.length).toBe(1);
  streams.close();
  streams.send('{"late":true}');
  await expect.poll(() => reader.events.at(-1)?.event).toBe('end');
  await sleep(20);
  expect(reader.events.map(({ event }) => event)).toEqual(['state', 'end']);
});
