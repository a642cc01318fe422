import { expect, it } from 'vitest';
import { readSimulateArguments } from '../../simulation/arguments.ts';

it('runs a hundred seeds from 1 unless the arguments name others', () => {
  expect(readSimulateArguments([])).toMatchObject({ from: 1, count: 100, limitMs: Infinity });
  expect(readSimulateArguments(['--seeds', '5', '--from', '7'])).toMatchObject({ from: 7, count: 5 });
  expect(readSimulateArguments(['--minutes', '2'])).toMatchObject({ count: Infinity, limitMs: 120_000 });
  expect(readSimulateArguments(['--seed', '9', '--shrink'])).toMatchObject({
    from: 9,
    count: 1,
    shrink: true,
  });
  expect(readSimulateArguments([])?.system).toBeUndefined();
  expect(readSimulateArguments(['--system', 'embedded'])).toMatchObject({ system: 'embedded' });
  expect(readSimulateArguments(['--help'])).toBeUndefined();
});

it.each([
  [['--seed', '1', '--seeds', '2'], '--seed runs one seed'],
  [['--trace'], 'need --seed'],
  [['--shrink', '--seeds', '3'], 'need --seed'],
  [['--seed', 'one'], '--seed must be a whole number'],
  [['--system', 'kafka'], '--system must be one of cluster, embedded'],
  [['7'], 'unexpected argument "7"'],
])('refuses %j', (args, reason) => {
  expect(() => readSimulateArguments(args)).toThrow(reason);
});
