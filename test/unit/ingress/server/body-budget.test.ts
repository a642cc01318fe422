import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { BodyBudget, type BodyShare } from '../../../../workers/ingress/server/body-budget.ts';

const OWN: BodyShare = { name: 'caller', limitBytes: 60 };

function arrive(budget: BodyBudget, shares: readonly BodyShare[] = []) {
  const raw = new EventEmitter();
  const reserve = budget.of({ raw } as unknown as FastifyReply, shares);
  return { reserve, end: () => raw.emit('close') };
}

it('reserves memory up to its limit, chunk by chunk, until the response is closed', () => {
  const budget = new BodyBudget(100);
  const first = arrive(budget);
  expect([first.reserve(40), first.reserve(40), first.reserve(40)]).toEqual([true, true, false]);
  const second = arrive(budget);
  expect([second.reserve(20), second.reserve(1), budget.usedBytes]).toEqual([true, false, 100]);
  first.end();
  expect(budget.usedBytes).toBe(20);
  expect(second.reserve(80)).toBe(true);
  second.end();
  expect(budget.usedBytes).toBe(0);
});

it('leaves to others what a share does not have', () => {
  const budget = new BodyBudget(100);
  const first = arrive(budget, [OWN]);
  const second = arrive(budget, [{ name: 'all', limitBytes: 90 }, OWN]);
  expect([first.reserve(40), second.reserve(30), second.reserve(20)]).toEqual([true, false, true]);
  const other = arrive(budget, [{ name: 'other', limitBytes: 60 }]);
  expect([other.reserve(50), other.reserve(40)]).toEqual([false, true]);
  first.end();
  expect([second.reserve(40), budget.usedBytes]).toEqual([true, 100]);
});
