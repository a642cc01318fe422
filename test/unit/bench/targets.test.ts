import { expect, test } from 'vitest';
import { asTarget, atLeast, overRounds, toKnow } from '../../../scripts/bench/rounds.ts';
import { ratiosIn, targetTable } from '../../../scripts/bench/targets.ts';

test('the table of targets lists the marked ratios with the range of their rounds', () => {
  const ratios = [
    asTarget(atLeast('throughput / peer', overRounds([1, 3, 2]), 2)),
    asTarget(atLeast('of one run', { value: 1 }, 2)),
    toKnow('cost / peer', { value: 1 }),
  ];
  const lines = targetTable(ratios, 'load 8').trimEnd().split('\n');
  expect(
    lines.map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    ),
  ).toEqual([
    ['target, load 8', 'value', 'rounds', 'aim', 'reached'],
    expect.any(Array),
    ['throughput / peer', '2.00', '1.00 to 3.00', '>= 2', 'yes'],
    ['of one run', '1.00', '', '>= 2', 'no'],
  ]);
});

test('parts without ratios have none', () => {
  expect(ratiosIn([{ goodput: 1 }])).toEqual([]);
  expect(ratiosIn({ ratios: [toKnow('x', { value: 1 })] })).toHaveLength(1);
});
