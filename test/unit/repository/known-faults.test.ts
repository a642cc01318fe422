import { expect, it } from 'vitest';
import { changedFiles, parsePatch, readKnownFaults } from '../../simulation/known-faults/known-fault.ts';

const faults = readKnownFaults();
const MIN_FAULTS = 12;

it('there are enough known faults to judge the simulation by', () => {
  expect(faults.length).toBeGreaterThanOrEqual(MIN_FAULTS);
});

it('at least twelve of them are faults that the project has had, with the commit that mended each', () => {
  const mended = faults.flatMap(({ mendedBy }) => mendedBy ?? []);
  expect(mended.length).toBeGreaterThanOrEqual(MIN_FAULTS);
});

it.each(faults.map((fault) => [fault.name, fault] as const))(
  'the known fault %s applies to the sources and is described in a sentence',
  (_name, fault) => {
    expect(fault.description).toMatch(/^[A-Z].*\.$/);
    expect(changedFiles(fault).size).toBeGreaterThan(0);
  },
);

it('a known fault whose lines have changed is refused', () => {
  const patch = [
    'A fault.',
    'Mended by 0123abcd.',
    '',
    '--- a/package.json',
    '+++ b/package.json',
    '@@ -1 +1 @@',
    '-gone',
    '+new',
    '',
  ];
  const fault = parsePatch('stale', patch.join('\n'));
  expect(fault).toMatchObject({ description: 'A fault.', mendedBy: '0123abcd' });
  expect(() => changedFiles(fault)).toThrow('the fault stale changes lines that package.json has 0 times');
});
