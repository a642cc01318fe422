import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import type {
  FormulaInputPart,
  SimulateRequest,
  SimulationRecord,
} from '../../../../shared/product/simulation/simulation.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const catalogue = EXAMPLE_CATALOGUE;
const context = {
  catalogue,
  calendars: { find: (name: string) => findCalendar(name, { catalogue: catalogue.lending.calendars }) },
  requestDay: date('2025-06-30'),
};

type Loan = readonly [
  code: string,
  type: string,
  amount: number,
  periods: number,
  more?: Partial<SimulateRequest>,
];

const input = (part: FormulaInputPart, ...values: readonly (readonly [name: string, value: number])[]) => ({
  jsonInputFormula: { [part]: values.map(([name, value]) => ({ name, value: new Decimal(value) })) },
});

/** The offers of a loan; throws an error with the faults if it is refused. */
function offersOf([productCode, scheduleType, amount, loanPeriod, more]: Loan): readonly SimulationRecord[] {
  const request = { productCode, scheduleType, amount: new Decimal(amount), loanPeriod, ...more };
  const outcome = simulate(request, context);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.records;
}

const LOANS: readonly Loan[] = [
  ['TL-PERSONAL', 'EqualInstallments', 10_000, 24, { discount: [{ Name: 'Salary client' }] }],
  ['TL-STEPS', 'EqualInstallments', 10_000, 36],
  [
    'TL-STUDY',
    'EqualInstallments',
    5000,
    36,
    {
      interestType: INTEREST_OPTION_IDS.BankingFormula,
      ...input('interestInput', ['ReferenceRate', 3], ['Score', 700]),
    },
  ],
  ['TL-VAT', 'LevelTotalWithVat', 20_000, 36, { installmentValue: new Decimal(650) }],
];

const loanOf = (code: string): Loan => LOANS.find(([known]) => known === code)!;

describe('simulations of the example catalogue', () => {
  it('reduce a rate of 8.5 % by 0.55 points, and a fee of 100 by 10 % and then by 5 to 85 (Q5)', () => {
    const [offer] = offersOf(loanOf('TL-PERSONAL'));
    expect(offer?.interestPercent).toBe('7.9500%');
    expect(offer?.commissions.map(({ name, value }) => `${name} ${String(value)}`)).toEqual([
      'Analysis fee 85',
      'Account administration 2.5',
    ]);
    // The annuity of 10000 at 7.95 % over 24 months is 452.04; the fee is 2.50, the insurance 0.03 % of the balance.
    expect(offer).toMatchObject({ firstInstallment: 457_54, firstFee: 250, firstInsurance: 300 });
  });

  it('have a payment of 303.77 in the first year and a higher one after it (R1)', () => {
    const [offer] = offersOf(loanOf('TL-STEPS'));
    expect(offer?.rows[1]?.pmt).toBe(303_77);
    expect(offer?.rows[13]?.pmt).toBeGreaterThan(303_77);
  });

  it('calculate a rate by formula: 3 + max(1, 6 - 700 / 200) is 5.5 % (Q7)', () => {
    const [offer] = offersOf(loanOf('TL-STUDY'));
    expect(offer?.interestPercent).toBe('5.5000%');
  });

  it('have level totals with VAT (S2)', () => {
    const [offer] = offersOf(loanOf('TL-VAT'));
    const totals = offer?.rows.slice(1, -1).map(({ totalInstallment }) => totalInstallment);
    expect(new Set(totals)).toEqual(new Set([650_00]));
    expect(offer?.firstFee).toBe(595);
  });

  it('report the missing payment that formulas of the schedule type read (Q2)', () => {
    const request = { productCode: 'TL-VAT', scheduleType: 'LevelTotalWithVat', loanPeriod: 36 };
    const outcome = simulate({ ...request, amount: new Decimal(20_000) }, context);
    const faults = outcome.kind === 'refused' ? outcome.faults : [];
    expect(faults).toMatchObject([{ path: 'installmentValue', code: 'missing', status: 400 }]);
  });
});
