/**
 * A caller that wrote `Amout` was answered that `Amount` is missing, and not that `Amout` is there and unknown: unknown
 * members were reported in the header `Warnings` of a success only. A refusal names them now among its faults, with the
 * member that was probably meant, and does not change its code for them.
 */
import { expect, it } from 'vitest';
import { findAction } from '../../shared/contract/actions/actions.ts';
import { smsReader } from '../../shared/contract/notification/commands.ts';

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

it('a misspelt member stands beside the missing one, with the nearest name', () => {
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

it('so does one of an item of a list, and jsonParam itself', () => {
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

it('only the first ten of many unknown fields get the nearest name, which is what costs time', () => {
  const misspelt = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`Amoun${index}`, 1]));
  const { faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam: { ...LOAN, ...misspelt } });
  expect(faults.filter((fault) => fault.includes('unknown-member')).length).toBeGreaterThan(90);
  expect(faults.filter((fault) => fault.includes('did you mean Amount?'))).toHaveLength(10);
});

it('so does one of the generic form', () => {
  expect(faultsOf('PLAT_BP_CalculatePMT', { user_nam: 'ana', Data: {} }).faults.at(-1)).toBe(
    'user_nam unknown-member: is not known here and has no effect; did you mean user_name?',
  );
});

it('a number beyond what can be calculated with stays a 422', () => {
  const jsonParam = { ...LOAN, Amount: 1e30, Colour: 'red' };
  const { problem, faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam });
  expect([problem, faults.length]).toEqual(['not-computable', 2]);
});

it('the same holds for a simulation and for a notification', () => {
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

it('at most 100 faults are listed, however many members are unknown', () => {
  const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`InstallmentMeth${at}`, 1]));
  const { faults } = faultsOf('PLAT_BP_CalculateRepaymentSchedule', { jsonParam: unknown });
  expect(faults).toHaveLength(100);
  expect(faults.at(-1)).toMatch(/further faults are not listed/);
});
