/** A request with `Amout` was refused because `Amount` is missing, without mentioning `Amout`. */
import { expect, it } from 'vitest';
import { findAction } from '../../shared/api/actions/actions.ts';
import { smsReader } from '../../shared/api/notification/read-command.ts';

const faultsOf = (action: string, body: unknown) => {
  const read = findAction(action)?.read(body);
  if (read?.kind !== 'invalid') throw new Error('the request was not refused');
  return {
    problem: read.problem,
    faults: read.faults.map(({ path, code, message }) => `${path} ${code}: ${message}`),
  };
};
const LOAN = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};

it('reports a misspelt field with the most similar name, in addition to the missing field', () => {
  expect(
    faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam: { ...LOAN, Amout: 100, Colour: 'red' } }),
  ).toEqual({
    problem: 'invalid-request',
    faults: [
      'jsonParam.Amount missing: is missing; must be a number',
      'jsonParam.Amout unknown-member: is not known here and has no effect; did you mean Amount?',
      'jsonParam.Colour unknown-member: is not known here and has no effect',
    ],
  });
});

it('reports misspelt fields of list items and a misspelt jsonParam', () => {
  const Commission = [{ FeName: 'Fee', SourceValue: 1 }];
  expect(
    faultsOf('PLAT_BP_CalculateRepaymentSchedule', {
      jsonParam: { ...LOAN, Amount: 1, Commission },
    }).faults.at(-1),
  ).toBe(
    'jsonParam.Commission[0].FeName unknown-member: is not known here and has no effect; did you mean FeeName?',
  );
  expect(faultsOf('PLAT_BP_CalculatePMT', { jsonParm: {} }).faults.at(-1)).toBe(
    'jsonParm unknown-member: is not known here and has no effect; did you mean jsonParam?',
  );
});

it('suggests names only for the first ten unknown fields, because the search is expensive', () => {
  const misspelt = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`Amoun${index}`, 1]));
  const { faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam: { ...LOAN, ...misspelt } });
  expect(faults.filter((fault) => fault.includes('unknown-member')).length).toBeGreaterThan(90);
  expect(faults.filter((fault) => fault.includes('did you mean Amount?'))).toHaveLength(10);
});

it('reports a misspelt field of the generic form', () => {
  expect(faultsOf('PLAT_BP_CalculatePMT', { user_nam: 'ana', Data: {} }).faults.at(-1)).toBe(
    'user_nam unknown-member: is not known here and has no effect; did you mean user_name?',
  );
});

it('keeps 422 for a number out of range', () => {
  const jsonParam = { ...LOAN, Amount: 1e30, Colour: 'red' };
  const { problem, faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam });
  expect([problem, faults.length]).toEqual(['not-computable', 2]);
});

it('reports misspelt fields of simulations and notifications', () => {
  const simulation = { productCode: 'TL', amount: 1, loanPeriods: 12, scheduleType: 'x' };
  expect(faultsOf('PLAT_BP_Simulate', simulation).faults).toEqual([
    "loanPeriod missing: is missing; must be a number of periods of the product's periodicity",
    'loanPeriods unknown-member: is not known here and has no effect; did you mean loanPeriod?',
  ]);
  const read = smsReader.parse({ receivr: '+40722123456', message: 'x' }, { hasDefaultSender: true });
  expect(read).toMatchObject({
    kind: 'invalid',
    problem: 'invalid-request',
    faults: [
      { path: 'receiver', code: 'missing' },
      {
        path: 'receivr',
        code: 'unknown-member',
        message: 'is not known here and has no effect; did you mean receiver?',
      },
    ],
  });
});

it('lists at most 100 faults', () => {
  const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`InstallmentMeth${at}`, 1]));
  const { faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam: unknown });
  expect(faults).toHaveLength(100);
  expect(faults.at(-1)).toMatch(/further faults are not listed/);
});
