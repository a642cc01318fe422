import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../soak/fault-proxy.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server behind a proxy that returns each chunk in capitals. */
async function setUp(): Promise<{ proxy: FaultProxy; heard: string[]; call: () => Promise<Call> }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard.push(String(chunk));
      socket.write(String(chunk).toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const proxy = await startFaultProxy({ target: (server.address() as AddressInfo).port, share: () => 0.5 });
  closers.push(() => proxy.close());
  return { proxy, heard, call: () => open(proxy.port) };
}

interface Call {
  readonly socket: Socket;
  readonly read: () => string;
  /** How the connection ended: an error code, or `closed`. */
  readonly end: Promise<string>;
}

async function open(port: number): Promise<Call> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let code = 'closed';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? 'error'));
  const end = new Promise<string>((resolve) => socket.once('close', () => resolve(code)));
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, read: () => text, end };
}

test('a proxy without a fault forwards all data in both directions', async () => {
  const { call } = await setUp();
  const { socket, read } = await call();
  socket.write('one');
  await expect.poll(read).toBe('ONE');
});

test('delayed data arrives completely and in order', async () => {
  const { proxy, call, heard } = await setUp();
  const { socket, read } = await call();
  proxy.set('delayed');
  socket.write('one');
  await expect.poll(() => heard.length, { timeout: 4_000 }).toBe(1);
  socket.write('two');
  proxy.set(undefined);
  await expect.poll(read, { timeout: 4_000 }).toBe('ONETWO');
});

test('a silent broker receives requests, and its responses arrive when the silence is over', async () => {
  const { proxy, call, heard } = await setUp();
  const { socket, read } = await call();
  proxy.set('silent');
  socket.write('one');
  await expect.poll(() => heard).toEqual(['one']);
  expect(read()).toBe('');
  proxy.set(undefined);
  await expect.poll(read).toBe('ONE');
});

test('a black hole swallows all data, and its connections cannot be used again', async () => {
  const { proxy, call, heard } = await setUp();
  const { socket, read, end } = await call();
  const other = await call();
  proxy.set('black-holed');
  socket.write('one');
  other.socket.write('one');
  await expect.poll(() => socket.bytesWritten).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.set(undefined);
  expect(await end).toBe('ECONNRESET');
  expect({ heard, read: read() }).toEqual({ heard: [], read: '' });
});

test('a torn connection ends in the middle of a response', async () => {
  const { proxy, call } = await setUp();
  const { socket, read, end } = await call();
  proxy.set('torn');
  const piece = 'x'.repeat(10_000);
  for (let count = 0; count < 3; count += 1) {
    socket.write(piece);
    await expect.poll(() => read().length >= piece.length * (count + 1) || socket.closed).toBe(true);
  }
  await end;
  expect(proxy.torn).toBe(1);
  expect(read().length).toBeGreaterThan(0);
  expect(read().length % piece.length).not.toBe(0);
});

test('a refusing broker closes existing and new connections', async () => {
  const { proxy, call } = await setUp();
  const { end } = await call();
  proxy.set('refused');
  expect(await end).toMatch(/closed|ECONNRESET/);
  const later = await call();
  expect(await later.end).toMatch(/closed|ECONNRESET/);
  proxy.set(undefined);
  const last = await call();
  last.socket.write('one');
  await expect.poll(last.read).toBe('ONE');
});
