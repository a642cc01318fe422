import { describe, expect, it } from 'vitest';
import { compileScheduleType } from '../../../../shared/lending/schedule-types/compile-schedule-type.ts';
import type { CompiledScheduleType } from '../../../../shared/lending/schedule-types/compiled-schedule-type.ts';
import { SLOTS, moneyValue, newFormulaScope, wholeValue } from '../../../../shared/lending/formula/scope.ts';
import {
  columnOf,
  compiledOf,
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

const BALANCE = columnOf('RemainingValue', 'RemainingValue');
const INTEREST = columnOf('Interest', 'Linear');
const PARTS = columnOf('Principal', 'Linear');
const REST = columnOf('Principal', 'Balance');
const FEES = columnOf('ManagementFee', 'Fee');

/** The calculation steps of a row in one line, with additional columns by name. */
function stepsOf({ steps }: CompiledScheduleType): string {
  return steps.map((step) => (step.kind === 'column' ? step.column.name : step.kind)).join(' ');
}

/** The kinds of interest, payment and principal. */
function kindsOf({ interest, payment, principal }: CompiledScheduleType): readonly string[] {
  return [interest.kind, payment.kind, principal.kind];
}

describe('compiled schedule type (S1, S2)', () => {
  it('has the settings of its record, with defaults for absent ones', () => {
    const record = recordOf(LEVEL_COLUMNS, {
      PaymentScheduleTypeId: 'ABCDEF00-0000-4000-8000-000000000001',
      PaymentScheduleTypeName: ' Own type ',
      Status: 'active',
      ProductTypes: ['mortgage', 'TL', 'MG'],
      ScheduleInterestCalculationType: 'act / 365',
      MeasurementUnit: 'months',
    });
    expect(compiledOf(record).type).toEqual({
      id: 'abcdef00-0000-4000-8000-000000000001',
      code: 'OWN',
      name: 'Own type',
      productTypes: ['MG', 'TL'],
      dayCount: 'Actual/365',
      installmentValueCustom: false,
      useMaturityDate: true,
      measurementUnit: 'Months',
      rounding: 'HALF_UP',
      maximumInstallments: null,
      residualRequired: false,
      residualInInstallment: false,
      acceptsCharges: true,
      useExpiryDate: false,
      interestCapitalization: false,
    });
  });

  it('resolves the methods of interest, payment and principal', () => {
    const effective = columnOf('Interest', 'EffectiveRate');
    const formula = formulaColumn('Interest', 'RemainingValue / 100');
    const payment = formulaColumn('PMT', 'Amount / 10');
    const repaid = formulaColumn('Principal', 'Amount / 9');
    expect(kindsOf(compiledOf(recordOf()))).toEqual(['Linear', 'Level', 'Balance']);
    expect(kindsOf(compiledOf(recordOf([BALANCE, effective, PARTS])))).toEqual([
      'EffectiveRate',
      'Sum',
      'EqualParts',
    ]);
    expect(kindsOf(compiledOf(recordOf([BALANCE, formula, payment, REST])))).toEqual([
      'Formula',
      'Formula',
      'Balance',
    ]);
    expect(kindsOf(compiledOf(recordOf([BALANCE, INTEREST, repaid])))).toEqual(['Linear', 'Sum', 'Formula']);
    const byPercent = columnOf('Principal', 'CapitalPercent');
    expect(compiledOf(recordOf([BALANCE, INTEREST, byPercent])).principal.kind).toBe('CapitalPercent');
  });

  it.each(['0', '0.00', '1 - 1', '-0', 'if(1 > 2, Amount, 0)', 'min(0, 3) * 5'])(
    'repays at maturity if the principal formula is zero: %s',
    (Formula) => {
      const compiled = compiledOf(recordOf([BALANCE, INTEREST, formulaColumn('Principal', Formula)]));
      expect(compiled.principal).toEqual({ kind: 'AtMaturity' });
      expect(compiled.hasFormulas).toBe(false);
    },
  );

  it('does not need formulas for payment and total as sums', () => {
    const columns = [
      BALANCE,
      INTEREST,
      PARTS,
      formulaColumn('PMT', 'Interest + Principal'),
      FEES,
      formulaColumn('TotalInstallment', 'PMT + ManagementFee'),
    ];
    const compiled = compiledOf(recordOf(columns));
    expect(compiled.hasFormulas).toBe(false);
    expect(compiled.payment).toEqual({ kind: 'Sum' });
    expect(stepsOf(compiled)).toBe('interest principal payment charges');
  });

  it('lists additional columns with their content and the sum that includes them', () => {
    const compiled = compiledOf(
      recordOf([
        ...LEVEL_COLUMNS,
        columnOf('Service', 'Fee', { Fee: 'Service fee', IsUpfront: true }),
        columnOf('Life', 'Insurance', { InsuranceClass: 'Life' }),
        formulaColumn('Vat', 'Service * 0.19', { Fee: 'VAT', Display: false }),
        formulaColumn('Cover', '1', { InsuranceClass: 'Cover' }),
        formulaColumn('Half', 'PMT / 2'),
      ]),
    );
    expect(compiled.extras.map(({ name, display }) => [name, display])).toEqual([
      ['Service', true],
      ['Life', true],
      ['Vat', false],
      ['Cover', true],
      ['Half', true],
    ]);
    expect(compiled.extras.map(({ method }) => ('countsAs' in method ? method.countsAs : method))).toEqual([
      { kind: 'Fee', fee: 'Service fee' },
      { kind: 'Insurance', insuranceClass: 'Life' },
      { kind: 'Fee', fee: 'VAT' },
      { kind: 'Insurance', insuranceClass: 'Cover' },
      { kind: 'Nothing' },
    ]);
    expect(new Set(compiled.extras.map(({ slot }) => slot)).size).toBe(5);
    expect(Math.max(...compiled.extras.map(({ slot }) => slot))).toBe(compiled.slotCount - 1);
    expect(compiled.hasFormulas).toBe(true);
  });

  it('lists which charges are upfront by default (F1)', () => {
    const columns = [
      BALANCE,
      INTEREST,
      PARTS,
      columnOf('ManagementFee', 'Fee', { IsUpfront: true }),
      columnOf('Service', 'Fee', { Fee: 'Service fee' }),
      columnOf('Life', 'Insurance', { InsuranceClass: 'Life', IsUpfront: true }),
    ];
    expect(compiledOf(recordOf(columns)).upfront).toEqual({
      fees: true,
      insurances: false,
      byFee: new Map([['service fee', false]]),
      byInsuranceClass: new Map([['life', true]]),
    });
  });

  it('is refused if the record has a fault', () => {
    const outcome = compileScheduleType(recordOf([BALANCE, INTEREST]));
    expect(outcome).toMatchObject({ kind: 'refused', faults: [{ column: 'Principal' }] });
  });
});

describe('order of calculation in a row (S1, F2)', () => {
  it('starts with interest, wherever it is listed', () => {
    const columns = [BALANCE, columnOf('PMT', 'PMT'), formulaColumn('Half', 'PMT / 2'), INTEREST, REST];
    expect(stepsOf(compiledOf(recordOf(columns)))).toBe('interest payment principal charges Half');
    expect(stepsOf(compiledOf(recordOf([BALANCE, PARTS, INTEREST])))).toBe(
      'interest principal payment charges',
    );
  });

  it('ends with charges, so that they may be percentages of every figure', () => {
    const columns = [
      BALANCE,
      FEES,
      formulaColumn('Vat', 'ManagementFee / 5', { Fee: 'VAT' }),
      INTEREST,
      PARTS,
    ];
    expect(stepsOf(compiledOf(recordOf(columns)))).toBe('interest principal payment charges Vat');
  });

  it('calculates charges and columns based on them before a payment that reads them', () => {
    const columns = [
      BALANCE,
      INTEREST,
      FEES,
      formulaColumn('Vat', 'ManagementFee / 5', { Fee: 'VAT' }),
      formulaColumn('PMT', '200 - ManagementFee'),
      REST,
      formulaColumn('Half', 'PMT / 2'),
    ];
    expect(stepsOf(compiledOf(recordOf(columns)))).toBe('interest charges Vat payment principal Half');
  });

  it('ends with charges if only a column without charges is read', () => {
    const columns = [
      BALANCE,
      formulaColumn('Rate', 'InterestPercent + 1'),
      formulaColumn('Interest', 'Rate'),
      PARTS,
    ];
    expect(stepsOf(compiledOf(recordOf(columns)))).toBe('Rate interest principal payment charges');
  });

  it('calculates charges first if another column reads them for the interest', () => {
    const columns = [
      BALANCE,
      columnOf('Service', 'Fee', { Fee: 'Service fee' }),
      formulaColumn('Twice', 'Service * 2'),
      formulaColumn('Interest', 'Twice'),
      PARTS,
    ];
    expect(stepsOf(compiledOf(recordOf(columns)))).toBe('charges Twice interest principal payment');
  });
});

describe('formulas of a compiled schedule type', () => {
  const compiled = compiledOf(
    recordOf([
      BALANCE,
      formulaColumn('Interest', 'remainingValue * InterestPercent / 100 * DayCountFraction'),
      PARTS,
      formulaColumn('Double', 'interest*2 + Round(Amount/3, 2)'),
      formulaColumn('Whole', 'round(min(Amount / 3, 500)) / round(Amount, 1)'),
    ]),
  );
  const [double, whole] = compiled.extras;

  function scope() {
    const filled = newFormulaScope(compiled.slotCount);
    filled.slots[SLOTS.RemainingValue] = moneyValue(100_050, 2);
    filled.slots[SLOTS.InterestPercent] = wholeValue(12);
    filled.slots[SLOTS.DayCountFraction] = { numerator: 30n, denominator: 360n };
    filled.slots[SLOTS.Interest] = moneyValue(-50, 2);
    filled.slots[SLOTS.Amount] = wholeValue(1000);
    return filled;
  }

  it('evaluate the slots of their scope exactly', () => {
    if (compiled.interest.kind !== 'Formula') throw new Error('no formula');
    const value = compiled.interest.formula.evaluate(scope());
    expect(value).toMatchObject({ numerator: expect.any(BigInt) });
    if ('kind' in value) throw new Error(value.reason);
    expect(value.numerator * 1000n).toBe(10_005n * value.denominator);
  });

  it('are formatted with their values for an explanation', () => {
    if (compiled.interest.kind !== 'Formula' || double?.method.kind !== 'Formula')
      throw new Error('no formula');
    expect(compiled.interest.formula.withValues(scope())).toBe('1000.5 * 12 / 100 * (1/12)');
    expect(double.method.formula.withValues(scope())).toBe('-0.5*2 + Round(1000/3, 2)');
    if (whole?.method.kind !== 'Formula') throw new Error('no formula');
    expect(whole.method.formula.withValues(scope())).toBe('round(min(1000 / 3, 500), 0) / round(1000, 1)');
    expect(double.method.formula.text).toBe('interest*2 + Round(Amount/3, 2)');
  });

  it('list the inputs and columns that they read (E5)', () => {
    expect([...compiled.namesRead]).toEqual([
      'RemainingValue',
      'InterestPercent',
      'DayCountFraction',
      'Interest',
      'Amount',
    ]);
  });

  it('treat slots without a value as zero', () => {
    expect(newFormulaScope(compiled.slotCount).slots).toHaveLength(compiled.slotCount);
    expect(newFormulaScope(1).slots).toEqual([{ numerator: 0n, denominator: 1n }]);
  });
});
