import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { createMetrics } from '../../../../shared/platform/metrics.ts';
import { createLoadShedding } from '../../../../workers/ingress/server/load-shedding.ts';

const CALLER = 'address 127.0.0.1';
/** Fills every place that a single caller may have. */
const ALL_PLACES_MS = 160;
const QUICK_MS = 0.5;

/** Load shedding on a clock that the test moves, and requests of one caller, with an Idempotency-Key if it is given. */
function setUp() {
  let nowMs = 0;
  const shedding = createLoadShedding({ metrics: createMetrics(), monotonic: { elapsedMs: () => nowMs } });
  const arrive = (key?: string) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const raw = {} as IncomingMessage;
    const request = {
      raw,
      headers,
      caller: CALLER,
      ip: '127.0.0.1',
      subject: '',
    } as unknown as FastifyRequest;
    const arriving = { caller: CALLER, queue: 'notifications' as const, headers };
    return {
      hasRoom: () => shedding.hasRoom(arriving),
      reserve: () => shedding.reserve(arriving, raw),
      awaitCaller: () => shedding.awaitCaller(raw),
      admit: (processorMs: number) =>
        shedding.admit(request, refusable(), { queue: 'notifications', processorMs }),
    };
  };
  return { arrive, pass: (ms: number) => (nowMs += ms) };
}

/** A response that may be sent. */
function refusable(): FastifyReply {
  const request = { id: 'id', raw: { complete: true } };
  const reply: Record<string, unknown> = { request, raw: {}, hasHeader: () => true };
  for (const name of ['code', 'header', 'type', 'send', 'headers', 'serializer']) reply[name] = () => reply;
  return reply as unknown as FastifyReply;
}

it('admits a repetition that waited with a place for one of several places', () => {
  const { arrive } = setUp();
  const many = Array.from({ length: ALL_PLACES_MS / QUICK_MS }, () => arrive().admit(QUICK_MS));
  expect(many.every((place) => place !== undefined)).toBe(true);
  expect(arrive().hasRoom()).toBe(false);
  expect(arrive('a').hasRoom()).toBe(false);
  const again = arrive('a');
  expect(again.reserve()).toBe(true);
  expect(again.admit(4 * QUICK_MS)).toBeDefined();
});

it('takes the place of a waiting request anew after a slow body', () => {
  const { arrive, pass } = setUp();
  const slow = arrive();
  expect(slow.reserve()).toBe(true);
  // Its place expires after a second.
  pass(1_500);
  const many = Array.from({ length: ALL_PLACES_MS / QUICK_MS }, () => arrive().admit(QUICK_MS));
  expect(many.every((place) => place !== undefined)).toBe(true);
  expect(slow.admit(QUICK_MS)).toBeUndefined();
});

it('gives the places of requests back while they wait for their callers', () => {
  const { arrive } = setUp();
  const halfSent = Array.from({ length: 1_000 }, () => arrive());
  for (const request of halfSent) {
    expect(request.reserve()).toBe(true);
    request.awaitCaller();
  }
  const many = Array.from({ length: ALL_PLACES_MS / QUICK_MS }, () => arrive().admit(QUICK_MS));
  expect(many.every((place) => place !== undefined)).toBe(true);
  expect(halfSent[0]?.admit(QUICK_MS)).toBeUndefined();
  many[0]?.release();
  expect(halfSent[1]?.admit(QUICK_MS)).toBeDefined();
});
