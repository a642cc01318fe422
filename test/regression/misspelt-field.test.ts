/** A request with `Amout` was refused because `Amount` is missing, without mentioning `Amout`. */
import { expect, it } from 'vitest';
import { findAction } from '../../shared/api/actions/actions.ts';
import { smsReader } from '../../shared/api/notification/read-command.ts';

const faultsOf = (action: string, body: unknown) => {
  const read = findAction(action)?.read(body);
  if (read?.kind !== 'invalid') throw new Error('the request was not refused');
  const faults = read.faults.map(({ path, code, message }) => `${path} ${code}: ${message}`);
  return { problem: read.problem, faults };
};
const scheduleFaults = (jsonParam: object) => faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam });
const TIMES = { InstallmentsNo: 6, PeriodicityType: 'Monthly', InstallmentDay: 1 };
const LOAN = { ScheduleType: 'EqualInstallments', InterestPercent: 7, ...TIMES };
const NO_EFFECT = 'unknown-member: is not known here and has no effect';

it('reports a misspelt field with the most similar name, in addition to the missing field', () => {
  expect(scheduleFaults({ ...LOAN, Amout: 100, Colour: 'red' })).toEqual({
    problem: 'invalid-request',
    faults: [
      'jsonParam.Amount missing: is missing; must be a number',
      `jsonParam.Amout ${NO_EFFECT}; did you mean Amount?`,
      `jsonParam.Colour ${NO_EFFECT}`,
    ],
  });
});

it('reports misspelt fields of list items and of the generic form, and a misspelt jsonParam', () => {
  const Commission = [{ FeName: 'Fee', SourceValue: 1 }];
  const ofItem = scheduleFaults({ ...LOAN, Amount: 1, Commission });
  expect(ofItem.faults.at(-1)).toBe(`jsonParam.Commission[0].FeName ${NO_EFFECT}; did you mean FeeName?`);
  const whole = faultsOf('PLAT_BP_CalculatePMT', { jsonParm: {} });
  expect(whole.faults.at(-1)).toBe(`jsonParm ${NO_EFFECT}; did you mean jsonParam?`);
  const generic = faultsOf('PLAT_BP_CalculatePMT', { user_nam: 'ana', Data: {} });
  expect(generic.faults.at(-1)).toBe(`user_nam ${NO_EFFECT}; did you mean user_name?`);
});

it('suggests names only for the first ten unknown fields, because the search is expensive', () => {
  const misspelt = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`Amoun${index}`, 1]));
  const { faults } = scheduleFaults({ ...LOAN, ...misspelt });
  expect(faults.filter((fault) => fault.includes('unknown-member')).length).toBeGreaterThan(90);
  expect(faults.filter((fault) => fault.includes('did you mean Amount?'))).toHaveLength(10);
});

it('keeps 422 for a number out of range', () => {
  const { problem, faults } = scheduleFaults({ ...LOAN, Amount: 1e30, Colour: 'red' });
  expect([problem, faults.length]).toEqual(['not-computable', 2]);
});

it('reports misspelt fields of simulations and notifications', () => {
  const simulation = { productCode: 'TL', amount: 1, loanPeriods: 12, scheduleType: 'x' };
  expect(faultsOf('PLAT_BP_Simulate', simulation).faults).toEqual([
    "loanPeriod missing: is missing; must be a number of periods of the product's periodicity",
    `loanPeriods ${NO_EFFECT}; did you mean loanPeriod?`,
  ]);
  const read = smsReader.parse({ receivr: '+40722123456', message: 'x' }, { hasDefaultSender: true });
  const [code, message] = `${NO_EFFECT}; did you mean receiver?`.split(': ');
  const faults = [
    { path: 'receiver', code: 'missing' },
    { path: 'receivr', code, message },
  ];
  expect(read).toMatchObject({ kind: 'invalid', problem: 'invalid-request', faults });
});

it('lists at most 100 faults', () => {
  const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`InstallmentMeth${at}`, 1]));
  const { faults } = scheduleFaults(unknown);
  expect(faults).toHaveLength(100);
  expect(faults.at(-1)).toMatch(/further faults are not listed/);
});
