import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openAccess, type Access } from '../../../../workers/ingress/access/access.ts';
import { createEarlyAdmission } from '../../../../workers/ingress/server/early-admission.ts';

const REQUEST = 'POST /actions/A HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n';
const SENT = 10_100;

it('writes refusals at once while 10,000 of pipelined requests wait for their turn', async () => {
  const turns: (() => void)[] = [];
  const admission = createEarlyAdmission({
    shedding: {
      hasRoom: () => false,
      reserve: () => false,
      giveBack: () => undefined,
      awaitCaller: () => undefined,
      requireRoom: () => () => undefined,
      admit: () => undefined,
    },
    access: openAccess,
    isOpen: () => true,
    newId: () => 'id',
    monotonic: { elapsedMs: () => 0 },
    timers: { schedule: () => () => undefined, nextTurn: (callback) => void turns.push(callback) },
  });
  admission.watch('/actions/', () => 'notifications');
  let arrived = 0;
  const server = createServer((request, response) => {
    arrived += 1;
    admission.admit(request, response, () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const peer = connect(port, '127.0.0.1');
  onTestFinished(() => void peer.destroy());
  let text = '';
  peer.on('data', (chunk) => (text += chunk.toString()));
  peer.write(REQUEST.repeat(SENT));
  await expect.poll(() => arrived).toBe(SENT);
  await expect.poll(() => text.match(/HTTP\/1\.1 503 /g)?.length).toBe(SENT - 10_000);
  // One for the slice of requests that are handled at once, one for the refusals.
  expect(turns).toHaveLength(2);
});

it('lets requests of known callers wait with a place when many arrive at once, but none without a token, nor for its body', () => {
  let nowMs = 0;
  const done: string[] = [];
  const turns: (() => void)[] = [];
  const admission = createEarlyAdmission({
    shedding: {
      hasRoom: () => true,
      reserve: ({ caller }) => done.push(`place for ${caller}`) > 0,
      giveBack: () => undefined,
      awaitCaller: () => done.push('place back'),
      requireRoom: () => () => undefined,
      admit: () => undefined,
    },
    access: { required: true, findSubject: (token: string) => token } as unknown as Access,
    isOpen: () => true,
    newId: () => 'id',
    monotonic: { elapsedMs: () => nowMs },
    timers: { schedule: () => () => undefined, nextTurn: (callback) => void turns.push(callback) },
  });
  admission.watch('/actions/', () => 'notifications');
  const arrive = (name: string, headers: Record<string, string>, complete = true) => {
    const request = {
      complete,
      method: 'POST',
      url: '/actions/A',
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      headers,
      socket: {},
    };
    const response = { once: () => undefined };
    admission.admit(request as unknown as IncomingMessage, response as unknown as ServerResponse, () =>
      done.push(name),
    );
    nowMs += 10;
  };
  arrive('first', { authorization: 'Bearer a' });
  arrive('second', { authorization: 'Bearer b' });
  arrive('without a token', {});
  arrive('slow body', { authorization: 'Bearer c' }, false);
  expect(done.splice(0)).toEqual(['first', 'place for subject b', 'without a token', 'place for subject c']);
  for (let at = 0; at < turns.length; at += 1) turns[at]?.();
  expect(done).toEqual(['second', 'place back', 'slow body']);
});
