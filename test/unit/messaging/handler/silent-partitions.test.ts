import { expect, test } from 'vitest';
import { SilentPartitions } from '../../../../shared/messaging/handler/silent-partitions.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const TEN_MINUTES_MS = 600_000;
/** Until then further requests wait as well. */
const CROWDED_MS = 30_000;

function createScene() {
  let nowMs = 0;
  const silent = new SilentPartitions(() => nowMs);
  /** A publish of three seconds that the partition does not answer. */
  const fall = (id: string, others: 'answer' | 'silent') => {
    const beganMs = nowMs;
    nowMs += 1_500;
    if (others === 'answer') silent.answered('healthy/0');
    nowMs += 1_500;
    silent.silent(id, beganMs);
  };
  const admit = (id: string, offset = 0, partition = 0) =>
    silent.admit(id, fakeMessage(offset, { partition }));
  return { silent, fall, admit, pass: (ms: number) => (nowMs += ms) };
}

test('a partition that nothing is known against lets every request pass', () => {
  const { admit, silent } = createScene();
  expect([admit('replies/0'), silent.isEmpty]).toEqual(['send', true]);
});

test('of a silent partition one request at a time is let through, and of all together two', () => {
  const { admit, fall, silent } = createScene();
  for (const id of ['a/0', 'a/1', 'b/0']) fall(id, 'answer');
  expect(['a/0', 'a/0', 'a/1', 'b/0'].map((id) => admit(id))).toEqual(['probe', 'wait', 'probe', 'wait']);
  silent.probeEnded('a/0');
  expect(admit('b/0')).toBe('probe');
  expect(admit('a/2')).toBe('send');
});

test('an answer makes the partition one like any other, also while it is tried', () => {
  const { admit, fall, silent } = createScene();
  fall('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  silent.answered('a/0');
  silent.probeEnded('a/0');
  expect([admit('a/0'), silent.isEmpty]).toEqual(['send', true]);
  fall('a/0', 'answer');
  fall('a/1', 'answer');
  expect([admit('a/0'), admit('a/1')]).toEqual(['probe', 'probe']);
});

test('a partition alone silent for ten minutes is given up, and still tried', () => {
  const { admit, fall, silent, pass } = createScene();
  fall('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  pass(TEN_MINUTES_MS - 1);
  expect(admit('a/0', 1)).toBe('wait');
  pass(1);
  expect(admit('a/0', 1)).toBe('give-up');
  silent.probeEnded('a/0');
  expect(admit('a/0', 2)).toBe('probe');
});

test('none is given up as long as no other partition answers either, however long an outage lasts', () => {
  const { admit, fall, pass } = createScene();
  fall('a/0', 'answer');
  pass(TEN_MINUTES_MS);
  fall('a/0', 'silent');
  expect(admit('a/0', 1)).toBe('probe');
  expect(admit('a/0', 1)).toBe('wait');
  fall('a/0', 'answer');
  pass(TEN_MINUTES_MS - 1);
  expect(admit('a/0', 1)).toBe('wait');
});

test('however many requests wait, none is given up while the partition may be given another leader', () => {
  const { admit, fall, pass } = createScene();
  fall('a/0', 'answer');
  expect(admit('a/0')).toBe('probe');
  for (let offset = 0; offset < 1_000; offset += 1) expect(admit('a/0', offset)).toBe('wait');
  pass(CROWDED_MS - 1);
  expect(admit('a/0', 999)).toBe('wait');
});

test('after that five hundred of one partition wait on, and further ones no longer hold up the others there', () => {
  const { admit, fall, pass } = createScene();
  for (const id of ['a/0', 'b/0']) fall(id, 'answer');
  expect([admit('a/0'), admit('b/0')]).toEqual(['probe', 'probe']);
  for (let offset = 0; offset < 250; offset += 1) {
    expect([admit('a/0', offset), admit('b/0', 1_000 + offset)]).toEqual(['wait', 'wait']);
  }
  expect([admit('a/0', 501), admit('b/0', 1_501)]).toEqual(['wait', 'wait']);
  pass(CROWDED_MS);
  expect([admit('a/0', 501), admit('b/0', 1_501), admit('b/0', 1_502)]).toEqual(
    Array.from({ length: 3 }, () => 'give-up'),
  );
  expect([admit('a/0', 100), admit('b/0', 1_100)]).toEqual(['wait', 'wait']);
  expect(admit('a/0', 501, 1)).toBe('wait');
});

test('a request that is delivered again, after a rebalance say, waits in its former place', () => {
  const { admit, fall, pass } = createScene();
  fall('a/0', 'answer');
  admit('a/0');
  for (let round = 0; round < 3; round += 1) {
    for (let offset = 0; offset < 500; offset += 1) admit('a/0', offset);
  }
  pass(CROWDED_MS);
  expect(admit('a/0', 499)).toBe('wait');
});

test('while everything is silent no number of requests is too many to wait', () => {
  const { admit, fall } = createScene();
  fall('a/0', 'silent');
  expect(admit('a/0')).toBe('probe');
  for (let offset = 0; offset < 1_000; offset += 1) expect(admit('a/0', offset)).toBe('wait');
});

test('those that wait no longer leave their places to others', () => {
  const { admit, fall, pass } = createScene();
  for (const id of ['a/0', 'b/0']) fall(id, 'answer');
  admit('a/0');
  admit('b/0');
  for (let offset = 0; offset < 500; offset += 1) admit('a/0', offset);
  pass(59_999);
  expect(admit('b/0', 501)).toBe('give-up');
  pass(1);
  expect(admit('b/0', 502)).toBe('wait');
});
