import { describe, expect, it } from 'vitest';
import { readServerEvents } from '../../../shared/client/server-events.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { fakeClientSystem, json } from '../../support/client/fake-client-system.ts';

const parseJson = (text: string): unknown => JSON.parse(text);
const CALL = { method: 'GET', path: '/events', canRepeat: true };

function open(...answerers: Parameters<typeof fakeClientSystem>) {
  const { system, calls } = fakeClientSystem(...answerers);
  const settings = { baseUrl: '', token: undefined, timeoutMs: 30_000, attempts: 2, parseJson, system };
  const controller = new AbortController();
  const connections: unknown[] = [];
  const events = readServerEvents(settings, CALL, {
    signal: controller.signal,
    onConnection: (connection) => connections.push(connection),
  });
  return { events, calls, connections, abort: (reason: Error) => controller.abort(reason) };
}

/** A stream of these pieces, which ends after them. */
function stream(...pieces: readonly (string | Uint8Array)[]): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

async function take(events: AsyncGenerator, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

describe('server-sent events', () => {
  it('are read across any division into pieces, with each kind of line end', async () => {
    const bytes = new TextEncoder().encode(': hello\r\nevent: system\rdata: {"name":\ndata: "ș"}\r\n\r\n\n');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const { events } = open(() => stream(...pieces, 'id: 7\ndata:[1]\nunknown: x\n\n', 'data: {"cut'));
    expect(await take(events, 2)).toEqual([
      { event: 'system', data: { name: 'ș' }, id: undefined },
      { event: 'message', data: [1], id: '7' },
    ]);
  });

  it('continue on a new connection after the time that the engine names, with the id of the last event', async () => {
    const { events, calls } = open(
      () => stream('retry: 2000\n\nid: 1\ndata: 1\n\n'),
      () => json(createProblem('not-ready'), 503, { 'retry-after': '1' }),
      () => stream('id: 2\ndata: 2\n\n'),
    );
    expect(await take(events, 2)).toEqual([
      { event: 'message', data: 1, id: '1' },
      { event: 'message', data: 2, id: '2' },
    ]);
    expect(calls.map(({ at, headers }) => [at, headers['last-event-id']])).toEqual([
      [0, undefined],
      [2_125, '1'],
      [3_375, '1'],
    ]);
    expect(calls[0]?.headers['accept']).toBe('text/event-stream');
  });

  it('report each connection, and why the next one must wait', async () => {
    const { events, connections } = open(
      () => json(createProblem('overloaded'), 503, { 'retry-after': '3' }),
      () => stream('retry: 2000\n\nevent: end\ndata: {"reason": "stopping"}\n\n'),
      () => Promise.reject(new TypeError('fetch failed')),
      () => stream('data: 1\n\n'),
    );
    await take(events, 2);
    const [connecting, opened] = [{ kind: 'connecting' }, { kind: 'open' }];
    expect(connections).toMatchObject([
      connecting,
      { kind: 'waiting', delayMs: 3_125, error: { code: 'overloaded', status: 503 } },
      connecting,
      opened,
      { kind: 'waiting', delayMs: 2_125, error: { code: 'unreachable', message: 'The stream ended' } },
      connecting,
      { kind: 'waiting', delayMs: 2_250, error: { code: 'unreachable' } },
      connecting,
      opened,
    ]);
  });

  it('continue at once where the engine renews the stream', async () => {
    const { events, calls, connections } = open(
      () => stream('retry: 2000\n\ndata: 1\n\nevent: end\ndata: {"reason": "renew"}\n\n'),
      () => stream('data: 2\n\n'),
    );
    await take(events, 3);
    // A part of 250 ms, so that clients do not return together.
    expect(calls.map(({ at }) => at)).toEqual([0, 125]);
    expect(connections).toEqual(['connecting', 'open', 'connecting', 'open'].map((kind) => ({ kind })));
  });

  it('end with the problem of a refused connection', async () => {
    const { events, calls } = open(() => json(createProblem('forbidden'), 403));
    await expect(take(events, 1)).rejects.toMatchObject({ name: 'EngineError', code: 'forbidden' });
    expect(calls).toHaveLength(1);
  });

  it('end with the reason of the signal', async () => {
    const { events, abort } = open(() => stream('data: 1\n\n'));
    expect(await events.next()).toMatchObject({ value: { data: 1 } });
    abort(new Error('left the room'));
    await expect(events.next()).rejects.toThrow('left the room');
  });

  it.each(['{"cut', 'plain text', ''])(
    'end with an error of the client for the data %j, which are not JSON',
    async (data) => {
      let signal: AbortSignal | null | undefined;
      const { events } = open((_, init) => {
        signal = init.signal;
        return stream(`data: 1\n\ndata: ${data}\n\n`);
      });
      await expect(take(events, 2)).rejects.toMatchObject({ name: 'EngineError', code: 'unreadable-answer' });
      expect(signal?.aborted).toBe(true);
    },
  );

  it('pass on an end without a reason, and wait before the next connection', async () => {
    const { events, calls } = open(
      () => stream('event: end\ndata: null\n\n'),
      () => stream('data: 1\n\n'),
    );
    expect(await take(events, 2)).toMatchObject([{ event: 'end', data: null }, { data: 1 }]);
    expect(calls.map(({ at }) => at)).toEqual([0, 1_125]);
  });

  it('close the connection when the caller leaves the loop', async () => {
    let signal: AbortSignal | null | undefined;
    const { events } = open((_, init) => {
      signal = init.signal;
      return stream('data: 1\n\n', 'data: 2\n\n');
    });
    await take(events, 1);
    expect(signal?.aborted).toBe(true);
  });
});
