import { describe, expect, it } from 'vitest';
import type {
  ScheduleColumnRecord,
  ScheduleTypeRecord,
} from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  activationMessages,
  columnOf,
  compiledOf,
  formulaColumn,
  guid,
  LEVEL_COLUMNS,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

const BALANCE = columnOf('RemainingValue', 'RemainingValue');
const INTEREST = columnOf('Interest', 'Linear');
const LEVEL = columnOf('PMT', 'PMT');
const REST = columnOf('Principal', 'Balance');
const PARTS = columnOf('Principal', 'Linear');

/** Faults of a type with these columns. */
function messagesOf(...columns: readonly ScheduleColumnRecord[]): readonly string[] {
  return activationMessages(recordOf(columns));
}

/** Faults of a type with level payments and additional columns. */
function withColumn(...columns: readonly ScheduleColumnRecord[]): readonly string[] {
  return messagesOf(...LEVEL_COLUMNS, ...columns);
}

describe('valid schedule type (S3)', () => {
  it('has no faults', () => {
    expect(activationMessages(recordOf())).toEqual([]);
    expect(messagesOf(BALANCE, INTEREST, PARTS)).toEqual([]);
  });

  it('may list the payment before the interest, write names in any casing, and hide columns', () => {
    expect(messagesOf(BALANCE, LEVEL, INTEREST, REST)).toEqual([]);
    expect(messagesOf(columnOf('remainingvalue', 'REMAININGVALUE'), INTEREST, PARTS)).toEqual([]);
    expect(withColumn(formulaColumn('Half', 'pmt / 2', { Display: false }))).toEqual([]);
  });

  it('may list payment and total as sums with their terms in any order', () => {
    const sum = formulaColumn('PMT', 'principal + interest');
    expect(messagesOf(BALANCE, INTEREST, PARTS, sum, formulaColumn('TotalInstallment', 'PMT'))).toEqual([]);
    expect(withColumn(formulaColumn('TotalInstallment', 'ManagementFee + (Insurance + PMT)'))).toEqual([]);
    expect(
      withColumn(formulaColumn('TotalInstallment', 'Interest + Principal + ManagementFee + Insurance')),
    ).toEqual([]);
  });

  it('may name the input of a column as its Source', () => {
    const sourced = columnOf('Interest', 'Linear', { Source: 'interestPercent' });
    expect(messagesOf(BALANCE, sourced, PARTS)).toEqual([]);
    expect(withColumn(columnOf('Limit', 'Formula', { Source: 'UnusedAmount' }))).toEqual([]);
  });
});

describe('order of columns (S3)', () => {
  it('requires Interest after RemainingValue', () => {
    expect(messagesOf(INTEREST, BALANCE, PARTS)).toEqual([
      'column Interest must be listed after RemainingValue: move it below',
    ]);
  });

  it('requires the principal, if calculated by Balance, after payment and interest', () => {
    expect(messagesOf(BALANCE, REST, LEVEL, INTEREST)).toEqual([
      'column Principal must be listed after PMT, because it is PMT less Interest: move it below',
      'column Principal must be listed after Interest, because it is PMT less Interest: move it below',
    ]);
  });

  it('rejects a column that is calculated from itself', () => {
    expect(withColumn(formulaColumn('Own', 'Own + 1'))).toEqual([
      'column Own must not be calculated from itself (Own needs Own): change one of these formulas',
    ]);
  });

  it('reports each cycle of columns once', () => {
    const circle = [
      formulaColumn('One', 'Two + 1'),
      formulaColumn('Two', 'Three'),
      formulaColumn('Three', 'One'),
    ];
    expect(withColumn(...circle)).toEqual([
      'column One must not be calculated from itself (One needs Two needs Three needs One): ' +
        'change one of these formulas',
    ]);
  });

  it('rejects interest that is calculated from payment or principal, directly or indirectly', () => {
    const payment = formulaColumn('PMT', 'Amount / 10');
    const rest = columnOf('Principal', 'Balance');
    expect(messagesOf(BALANCE, payment, formulaColumn('Interest', 'PMT / 5'), rest)).toEqual([
      'column PMT must not be calculated from itself (PMT needs Interest needs PMT): change one of these formulas',
    ]);
    const between = formulaColumn('Between', 'PMT / 5');
    expect(messagesOf(BALANCE, payment, between, formulaColumn('Interest', 'Between'), rest)).toEqual([
      'column PMT must not be calculated from itself (PMT needs Interest needs Between needs PMT): ' +
        'change one of these formulas',
    ]);
  });
});

describe('columns of a schedule type (S1, S2, S3)', () => {
  it('reports each missing mandatory column with advice', () => {
    expect(messagesOf(formulaColumn('Half', 'Amount / 2'))).toEqual([
      'column RemainingValue is missing: add it with the CalculationMethod RemainingValue, before Interest',
      'column Interest is missing: add it with the CalculationMethod Linear, EffectiveRate or Formula',
      'column Principal is missing: add it with the CalculationMethod Balance, Linear, CapitalPercent or Formula',
    ]);
  });

  it('accepts from 1 to 40 columns', () => {
    const many = Array.from({ length: 41 }, (_, place) => formulaColumn(`Own${place}`, 'Amount'));
    for (const columns of [[], many]) {
      expect(messagesOf(...columns)).toEqual(['PaymentScheduleTypeDetails must list from 1 to 40 columns']);
    }
  });

  it('rejects a case-insensitive duplicate name', () => {
    expect(
      withColumn(formulaColumn('Half', '1'), formulaColumn('HALF', '2'), columnOf('interest', 'Linear')),
    ).toEqual([
      'column HALF is listed twice: remove one, or give it another name',
      'column Interest is listed twice: remove one, or give it another name',
    ]);
  });

  it.each([
    'dueDate',
    'INSTALLMENTNO',
    'eir',
    'dae',
    'capitalisedInterest',
    'explanation',
    'Amount',
    'min',
    'IF',
  ])('rejects the reserved name %s', (name) => {
    expect(withColumn(formulaColumn(name, '1'))).toEqual([
      `column ${name} must have another name: this one is a row field, an input or a function`,
    ]);
  });

  it.each(['', 'VAT on fees', '1st', '__proto__', 'Größe', 'a'.repeat(65)])(
    'rejects the name "%s"',
    (name) => {
      const [message] = withColumn(formulaColumn(name, '1'));
      expect(message).toMatch(
        /^column .* must be one of RemainingValue, .*, or a name of up to 64 letters, digits/,
      );
    },
  );

  it('rejects a method that does not fit the column', () => {
    expect(messagesOf(BALANCE, columnOf('Interest', 'Balance'), columnOf('Principal', 'Half'))).toEqual([
      'column Interest must have the CalculationMethod Linear or EffectiveRate or Formula',
      'column Principal must have the CalculationMethod Balance or Linear or CapitalPercent or Formula',
    ]);
    expect(withColumn(columnOf('Own', 'Linear'))).toEqual([
      'column Own must have the CalculationMethod Fee or Insurance or Formula',
    ]);
    expect(messagesOf(BALANCE, INTEREST, PARTS, formulaColumn('ManagementFee', '1'))).toEqual([
      'column ManagementFee must have the CalculationMethod Fee; for your own amount add a Formula column ' +
        'with its own name',
    ]);
  });

  it('requires a formula for the method Formula only', () => {
    expect(withColumn(columnOf('Own', 'Formula'))).toEqual([
      'column Own needs a Formula, such as Interest + Principal, or the Source whose value it shows',
    ]);
    expect(messagesOf(BALANCE, columnOf('Interest', 'Linear', { Formula: '1' }), PARTS)).toEqual([
      'column Interest must have no Formula unless its CalculationMethod is Formula',
    ]);
  });

  it('accepts a Source only for the input that the column reads', () => {
    expect(withColumn(formulaColumn('Own', 'Amount', { Source: 'Amount' }))).toEqual([
      'column Own must have a Formula or a Source, not both: name the input in the Formula',
    ]);
    expect(withColumn(columnOf('Own', 'Formula', { Source: 'Income' }))[0]).toMatch(
      /^column Own must have one of these as Source: InterestPercent, Amount, InstallmentsNo, /,
    );
    expect(messagesOf(BALANCE, columnOf('Interest', 'Linear', { Source: 'Amount' }), PARTS)).toEqual([
      'column Interest must have the Source InterestPercent or none',
    ]);
    expect(withColumn(columnOf('Own', 'Fee', { Fee: 'Service', Source: 'Amount' }))).toEqual([
      'column Own must have no Source',
    ]);
  });

  it('accepts Fee and InsuranceClass only where they have an effect', () => {
    expect(withColumn(columnOf('Own', 'Fee'), columnOf('Other', 'Insurance'))).toEqual([
      'column Own needs the Fee whose commission it shows; all commissions together are the column ManagementFee',
      'column Other needs the InsuranceClass that it shows; all insurances together are the column Insurance',
    ]);
    expect(withColumn(formulaColumn('Own', '1', { Fee: 'A', InsuranceClass: 'B' }))).toEqual([
      'column Own must count as a Fee or as an InsuranceClass, not as both',
    ]);
    expect(
      messagesOf(BALANCE, columnOf('Interest', 'Linear', { Fee: 'A', InsuranceClass: 'B' }), PARTS),
    ).toEqual(['column Interest must have no Fee', 'column Interest must have no InsuranceClass']);
    expect(messagesOf(BALANCE, INTEREST, PARTS, columnOf('ManagementFee', 'Fee', { Fee: 'A' }))).toEqual([
      'column ManagementFee must have no Fee: it contains all of them; show a single one in a column with its own name',
    ]);
  });

  it('rejects a second column for the same commission or insurance class', () => {
    const twice = [
      columnOf('One', 'Fee', { Fee: 'Service' }),
      columnOf('Two', 'Fee', { Fee: 'SERVICE' }),
      columnOf('Three', 'Insurance', { InsuranceClass: 'Life' }),
      columnOf('Four', 'Insurance', { InsuranceClass: 'life' }),
    ];
    expect(withColumn(...twice)).toEqual([
      'column Two shows the Fee SERVICE of another column: remove one of them',
      'column Four shows the InsuranceClass life of another column: remove one of them',
    ]);
    const counted = ['Five', 'Six'].map((name) => formulaColumn(name, '1', { InsuranceClass: 'Life' }));
    expect(withColumn(...counted)).toEqual([]);
  });

  it('accepts IsUpfront only for Fee and Insurance columns', () => {
    expect(withColumn(columnOf('Own', 'Fee', { Fee: 'Service', IsUpfront: true }))).toEqual([]);
    expect(withColumn(formulaColumn('Own', '1', { IsUpfront: true }))).toEqual([
      'column Own must have no IsUpfront: only Fee and Insurance columns have one',
    ]);
  });

  it('charges upfront what columns with IsUpfront show, each commission and insurance class by its own (F1)', () => {
    const columns = [
      ...LEVEL_COLUMNS.slice(0, -1),
      columnOf('Insurance', 'Insurance', { IsUpfront: true }),
      columnOf('One', 'Fee', { Fee: 'Service', IsUpfront: true }),
      columnOf('Two', 'Insurance', { InsuranceClass: 'Life', IsUpfront: false }),
    ];
    expect(compiledOf(recordOf(columns)).upfront).toEqual({
      fees: false,
      insurances: true,
      byFee: new Map([['service', true]]),
      byInsuranceClass: new Map([['life', false]]),
    });
  });

  it('requires unique ids', () => {
    const record = recordOf();
    const [first, second, ...rest] = record.PaymentScheduleTypeDetails;
    const details = [
      { ...first!, PaymentScheduleTypeDetailId: 'one' },
      { ...second!, PaymentScheduleTypeDetailId: rest[0]!.PaymentScheduleTypeDetailId },
      ...rest,
    ];
    expect(activationMessages({ ...record, PaymentScheduleTypeDetails: details })).toEqual([
      'column RemainingValue must have a PaymentScheduleTypeDetailId that is a GUID and that no other column has',
      'column PMT must have a PaymentScheduleTypeDetailId that is a GUID and that no other column has',
    ]);
  });
});

describe('names in a formula (S2, S3)', () => {
  it('rejects an unknown name and lists the known ones', () => {
    expect(withColumn(formulaColumn('Own', 'Income * 2'))).toEqual([
      'column Own names Income in its formula, which is neither a column nor an input; known: RemainingValue, ' +
        'Interest, PMT, Principal, ManagementFee, Insurance, Own, InterestPercent, Amount, InstallmentsNo, ' +
        'InstallmentNo, NoDays, DayCountFraction, ResidualValue, CapitalPercent, UnusedAmount, AdvanceAmount, ' +
        'UpFrontValue, LockedInstallment, LockedPrincipal, PeriodsPerYear',
    ]);
  });

  it('does not compile a formula with an unknown name', () => {
    expect(withColumn(formulaColumn('Own', 'Income + 1 / 0'))).toEqual([
      expect.stringContaining('column Own names Income in its formula'),
    ]);
  });

  it('reports a syntax error or a division by zero with its position', () => {
    expect(withColumn(formulaColumn('Own', '1 +'), formulaColumn('Other', 'PMT / 0'))).toEqual([
      'column Own has a formula that cannot be read at position 4: a number, a name or ( is missing at the end',
      'column Other has a formula that cannot be calculated at position 5: this divides by zero, which has no value',
    ]);
  });
});

describe('combinations of methods (S1, S2, S3)', () => {
  it('rejects a level payment whose interest is calculated by a formula', () => {
    expect(messagesOf(BALANCE, formulaColumn('Interest', 'RemainingValue / 100'), LEVEL, REST)).toEqual([
      'column PMT is a level payment, which needs Interest by Linear or EffectiveRate: change one of the two',
    ]);
  });

  it('requires Principal by Balance for a level payment, and a payment for Principal by Balance', () => {
    expect(messagesOf(BALANCE, INTEREST, LEVEL, columnOf('Principal', 'CapitalPercent'))).toEqual([
      'column PMT is a level payment, which needs Principal by Balance: change one of the two',
      'IsWithEqualInstallments must be false unless Principal is calculated by Balance',
    ]);
    expect(messagesOf(BALANCE, INTEREST, REST)).toEqual([
      'column PMT is missing: Principal by Balance is PMT less Interest; add PMT before Principal',
    ]);
  });

  it('requires a payment with another principal to be the sum of interest and principal', () => {
    expect(messagesOf(BALANCE, INTEREST, PARTS, formulaColumn('PMT', 'Interest + Principal + 1'))).toEqual([
      'column PMT must be Interest + Principal, or be left out, unless Principal is calculated by Balance',
    ]);
  });

  it('requires TotalInstallment to be its defined sum (M3)', () => {
    expect(withColumn(formulaColumn('TotalInstallment', 'PMT + ManagementFee'))).toEqual([
      'column TotalInstallment must have the Formula PMT + ManagementFee + Insurance, or be left out',
    ]);
    expect(withColumn(formulaColumn('TotalInstallment', 'PMT + PMT + Insurance'))).toHaveLength(1);
    expect(messagesOf(BALANCE, INTEREST, PARTS, formulaColumn('TotalInstallment', '2 * Interest'))).toEqual([
      'column TotalInstallment must have the Formula Interest + Principal, or be left out',
    ]);
  });

  it.each<[string, Partial<ScheduleTypeRecord>, readonly ScheduleColumnRecord[], string]>([
    [
      'equal installments without a level payment',
      { IsWithEqualInstallments: true },
      [BALANCE, INTEREST, PARTS],
      'IsWithEqualInstallments must be false unless Principal is calculated by Balance',
    ],
    [
      'a level payment without equal installments',
      { IsWithEqualInstallments: false },
      LEVEL_COLUMNS,
      'IsWithEqualInstallments must be true, because PMT is a level payment',
    ],
    [
      'InstallmentValueCustom if no column reads the value',
      { InstallmentValueCustom: true },
      [BALANCE, INTEREST, columnOf('Principal', 'CapitalPercent')],
      'InstallmentValueCustom must be false: no column reads a fixed payment or principal',
    ],
    [
      'a fixed payment in a formula if InstallmentValueCustom is false',
      {},
      [BALANCE, INTEREST, formulaColumn('PMT', 'lockedInstallment'), REST],
      'column PMT reads a fixed payment or principal in its formula: InstallmentValueCustom must be true',
    ],
    [
      'a charge column if AcceptsCharges is false',
      { AcceptsCharges: false },
      [BALANCE, INTEREST, PARTS, columnOf('ManagementFee', 'Fee')],
      'column ManagementFee must be left out unless AcceptsCharges is true',
    ],
    [
      'UseExpiryDate if principal is repaid before maturity',
      { UseExpiryDate: true },
      [BALANCE, INTEREST, PARTS],
      'column Principal must have the Formula 0, which repays at the end, unless UseExpiryDate is false',
    ],
    [
      'InterestCapitalization if principal is repaid before maturity',
      { InterestCapitalization: true },
      [BALANCE, INTEREST, formulaColumn('Principal', 'Amount / 10')],
      'column Principal must have the Formula 0, which repays at the end, unless InterestCapitalization is false',
    ],
  ])('rejects %s', (_, changes, columns, message) => {
    expect(activationMessages(recordOf(columns, changes))).toEqual([message]);
  });

  it('accepts InstallmentValueCustom if a payment, equal parts or a formula reads the value', () => {
    const custom = { InstallmentValueCustom: true };
    expect(activationMessages(recordOf(LEVEL_COLUMNS, custom))).toEqual([]);
    expect(activationMessages(recordOf([BALANCE, INTEREST, PARTS], custom))).toEqual([]);
    const formula = [BALANCE, INTEREST, formulaColumn('PMT', 'LockedInstallment'), REST];
    expect(activationMessages(recordOf(formula, custom))).toEqual([]);
  });
});

describe('settings of a schedule type (S1)', () => {
  it.each<[Partial<ScheduleTypeRecord>, string]>([
    [
      { PaymentScheduleTypeId: 'own' },
      'PaymentScheduleTypeId must be a GUID that no other schedule type has',
    ],
    [{ PaymentScheduleCode: ' ' }, 'PaymentScheduleCode must have from 1 to 200 characters'],
    [
      { PaymentScheduleTypeName: 'n'.repeat(201) },
      'PaymentScheduleTypeName must have from 1 to 200 characters',
    ],
    [{ Status: 'Live' }, 'Status must be one of Draft, Active, VersionDraft, Closed'],
    [
      { ScheduleInterestCalculationType: '31/360' },
      'ScheduleInterestCalculationType must be one of 30/360, 30E/360, 30E/360 ISDA, 30/365, Actual/360, ' +
        'Actual/365, Actual/Actual',
    ],
    [{ MeasurementUnit: 'Years' }, 'MeasurementUnit must be one of Days, Months'],
    [{ Rounding: 'DOWN' }, 'Rounding must be one of HALF_UP, HALF_EVEN'],
    [{ ProductTypes: [] }, 'ProductTypes must list at least one of TL, MG, C, OD, BA, D, CC, LS'],
    [{ ProductTypes: ['TL', 'XX'] }, 'ProductTypes must list at least one of TL, MG, C, OD, BA, D, CC, LS'],
    [{ MaximumInstallments: 0 }, 'MaximumInstallments must be a whole number from 1 to 1200'],
    [{ MaximumInstallments: 1.5 }, 'MaximumInstallments must be a whole number from 1 to 1200'],
  ])('rejects %o', (changes, message) => {
    expect(activationMessages(recordOf(LEVEL_COLUMNS, changes))).toEqual([message]);
  });

  it('reports the faults of settings and columns together', () => {
    const record = recordOf([INTEREST, BALANCE, formulaColumn('Own', 'Income')], {
      PaymentScheduleTypeId: guid(2).slice(1),
      Status: '',
    });
    expect(activationMessages(record).map((message) => message.split(' ').slice(0, 3).join(' '))).toEqual([
      'PaymentScheduleTypeId must be',
      'Status must be',
      'column Own names',
      'column Principal is',
      'column Interest must',
    ]);
  });
});
