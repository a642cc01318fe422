import { expect, it } from 'vitest';
import { sleep } from '../../../shared/platform/timers.ts';
import { seededSystem } from '../../simulation/seeded-system.ts';
import { createMachine, ProcessLife } from '../../simulation/sim-process.ts';

const exact = { skewMs: 0, driftPpm: 0 };

function scene(clocks = exact) {
  const system = seededSystem(1);
  const machine = createMachine(system, 1, clocks);
  const life = new ProcessLife('worker-1#1', machine);
  const notes: string[] = [];
  const note = (what: string) => () => notes.push(`${what} ${system.monotonic.elapsedMs()}`);
  return { system, machine, life, notes, note };
}

it('the callbacks of a frozen process run late, in their order, and none of them while it is frozen', async () => {
  const { system, life, notes, note } = scene();
  const { timers } = life.ports;
  life.freeze();
  timers.schedule(note('b'), 20);
  timers.schedule(note('a'), 10);
  timers.nextTurn(note('turn'));
  life.enter(note('network'));
  timers.schedule(note('late'), 200);
  await system.pass(100);
  expect(notes).toEqual([]);
  life.thaw();
  await system.pass(200);
  expect(notes).toEqual(['network 100', 'turn 100', 'a 100', 'b 100', 'late 200']);
});

it('a process that is frozen twice at the same time continues after the second freeze', async () => {
  const { system, life, notes, note } = scene();
  life.freeze();
  life.freeze();
  life.enter(note('network'));
  life.thaw();
  await system.pass(10);
  expect(notes).toEqual([]);
  life.thaw();
  expect(notes).toEqual(['network 10']);
});

it('a timer that is due during a freeze does not fire when an earlier callback cancels it', async () => {
  const { system, life, notes, note } = scene();
  const cancel = life.ports.timers.schedule(note('a'), 10);
  life.freeze();
  life.enter(cancel);
  await system.pass(20);
  life.thaw();
  await system.pass(20);
  expect(notes).toEqual([]);
});

it('a process that has ended runs no callback and has no effect', async () => {
  const { system, life, notes, note } = scene();
  life.ports.timers.schedule(note('a'), 10);
  life.ports.timers.nextTurn(note('turn'));
  life.end();
  life.enter(note('network'));
  await system.pass(20);
  expect(notes).toEqual([]);
  expect([life.isAlive(), life.mayAct()]).toEqual([false, false]);
});

it('a process ends between two effects, once it has had the given number', () => {
  const { life, notes, note } = scene();
  life.endAfter(2, note('end'));
  expect([life.mayAct(), life.mayAct(), life.mayAct(), life.mayAct()]).toEqual([true, true, false, false]);
  expect(notes).toEqual(['end 0']);
});

it('clocks and timers of a process run at its own pace, and only its wall clock follows a step', async () => {
  const { system, machine, life, notes, note } = scene({ skewMs: 300, driftPpm: 100_000 });
  const { clock, monotonic, timers } = life.ports;
  expect(clock.now() - system.clock.now()).toBe(300);
  timers.schedule(note('a'), 110);
  await system.run(sleep(system.timers, 1_000), 2_000);
  expect(notes.map((line) => Number(line.split(' ')[1]))).toEqual([expect.closeTo(100)]);
  expect(monotonic.elapsedMs()).toBeCloseTo(1_100);
  expect(clock.now() - system.clock.now()).toBe(400);
  machine.skewMs -= 1_000;
  expect(clock.now() - system.clock.now()).toBe(-600);
  expect(monotonic.elapsedMs()).toBeCloseTo(1_100);
});

it('ids of a process depend on its seed and its life only', () => {
  const { life, machine } = scene();
  const same = new ProcessLife('worker-1#1', machine);
  const next = new ProcessLife('worker-1#2', machine);
  const [one, two, three] = [life, same, next].map(({ ports }) => ports.newId());
  expect(two).toBe(one);
  expect(three).not.toBe(one);
});
