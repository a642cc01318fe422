import { describe, expect, it } from 'vitest';
import type {
  ScheduleColumnRecord,
  ScheduleTypeRecord,
} from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  activationMessages,
  columnOf,
  columnsOf,
  compiledOf,
  formulaColumn,
  guid,
  LEVEL_COLUMNS,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

const BALANCE = columnOf('RemainingValue', 'RemainingValue');
const INTEREST = columnOf('Interest', 'Linear');
const PARTS = columnOf('Principal', 'Linear');

function messagesOf(...columns: readonly ScheduleColumnRecord[]): readonly string[] {
  return activationMessages(recordOf(columns));
}

function withColumn(...columns: readonly ScheduleColumnRecord[]): readonly string[] {
  return messagesOf(...LEVEL_COLUMNS, ...columns);
}

/** Reads columns, after those of a type with level payments or equal parts if named, each with faults. */
function readColumnCases(text: string) {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const [title = '', ...faults] = block.split(/\n| \| /).map((line) => line.trim());
      const [, start = '', settings = '{}', columns] =
        /^(level|parts|only)(?: (\{.*?\}))?(?:: (.*))?$/.exec(title) ?? [];
      const before = { level: LEVEL_COLUMNS, parts: [BALANCE, INTEREST, PARTS], only: [] }[start] ?? [];
      const all = [...before, ...(columns === undefined ? [] : columnsOf(columns))];
      return { title, faults, record: recordOf(all, JSON.parse(settings) as Partial<ScheduleTypeRecord>) };
    });
}

describe('accepted schedule types (S1, S3)', () => {
  it.each(
    readColumnCases(`
level
parts
only: RemainingValue RemainingValue; PMT PMT; Interest Linear; Principal Balance
only: remainingvalue REMAININGVALUE; Interest Linear; Principal Linear
level: Half = pmt / 2 {"Display":false}
parts: PMT = principal + interest; TotalInstallment = PMT
level: TotalInstallment = ManagementFee + (Insurance + PMT)
level: TotalInstallment = Interest + Principal + ManagementFee + Insurance
only: RemainingValue RemainingValue; Interest Linear {"Source":"interestPercent"}; Principal Linear
level: Limit Formula {"Source":"UnusedAmount"}
level: Five = 1 {"InsuranceClass":"Life"}; Six = 1 {"InsuranceClass":"Life"}
level: Own Fee {"Fee":"Service","IsUpfront":true}
level {"InstallmentValueCustom":true,"MaximumInstallments":1200}
parts {"InstallmentValueCustom":true}
only {"InstallmentValueCustom":true}: RemainingValue RemainingValue; Interest Linear; PMT = LockedInstallment; Principal Balance
`),
  )('$title', ({ record }) => {
    expect(activationMessages(record)).toEqual([]);
  });
});

describe('refused columns and settings (S1, S2, S3, M3)', () => {
  it.each(
    readColumnCases(`
only: Interest Linear; RemainingValue RemainingValue; Principal Linear
  column Interest must be listed after RemainingValue: move it below
only: RemainingValue RemainingValue; Principal Balance; PMT PMT; Interest Linear
  column Principal must be listed after PMT, because it is PMT less Interest: move it below
  column Principal must be listed after Interest, because it is PMT less Interest: move it below
level: Own = Own + 1
  column Own must not be calculated from itself (Own needs Own): change one of these formulas
level: One = Two + 1; Two = Three; Three = One
  column One must not be calculated from itself (One needs Two needs Three needs One): change one of these formulas
only: RemainingValue RemainingValue; PMT = Amount / 10; Interest = PMT / 5; Principal Balance
  column PMT must not be calculated from itself (PMT needs Interest needs PMT): change one of these formulas
only: RemainingValue RemainingValue; PMT = Amount / 10; Between = PMT / 5; Interest = Between; Principal Balance
  column PMT must not be calculated from itself (PMT needs Interest needs Between needs PMT): change one of these formulas
only: Half = Amount / 2
  column RemainingValue is missing: add it with the CalculationMethod RemainingValue, before Interest
  column Interest is missing: add it with the CalculationMethod Linear, EffectiveRate or Formula
  column Principal is missing: add it with the CalculationMethod Balance, Linear, CapitalPercent or Formula
level: Half = 1; HALF = 2; interest Linear | column HALF is listed twice: remove one, or give it another name
  column Interest is listed twice: remove one, or give it another name
only: RemainingValue RemainingValue; Interest Balance; Principal Half
  column Interest must have the CalculationMethod Linear or EffectiveRate or Formula
  column Principal must have the CalculationMethod Balance or Linear or CapitalPercent or Formula
level: Own Linear | column Own must have the CalculationMethod Fee or Insurance or Formula
parts: ManagementFee = 1
  column ManagementFee must have the CalculationMethod Fee; for your own amount add a Formula column with its own name
level: Own Formula
  column Own needs a Formula, such as Interest + Principal, or the Source whose value it shows
only: RemainingValue RemainingValue; Interest Linear {"Formula":"1"}; Principal Linear
  column Interest must have no Formula unless its CalculationMethod is Formula
level: Own = Amount {"Source":"Amount"}
  column Own must have a Formula or a Source, not both: name the input in the Formula
only: RemainingValue RemainingValue; Interest Linear {"Source":"Amount"}; Principal Linear
  column Interest must have the Source InterestPercent or none
level: Own Fee {"Fee":"Service","Source":"Amount"} | column Own must have no Source
level: Own Fee; Other Insurance
  column Own needs the Fee whose commission it shows; all commissions together are the column ManagementFee
  column Other needs the InsuranceClass that it shows; all insurances together are the column Insurance
level: Own = 1 {"Fee":"A","InsuranceClass":"B"}
  column Own must count as a Fee or as an InsuranceClass, not as both
only: RemainingValue RemainingValue; Interest Linear {"Fee":"A","InsuranceClass":"B"}; Principal Linear
  column Interest must have no Fee | column Interest must have no InsuranceClass
parts: ManagementFee Fee {"Fee":"A"}
  column ManagementFee must have no Fee: it contains all of them; show a single one in a column with its own name
level: One Fee {"Fee":"Service"}; Two Fee {"Fee":"SERVICE"}; Three Insurance {"InsuranceClass":"Life"}; Four Insurance {"InsuranceClass":"life"}
  column Two shows the Fee SERVICE of another column: remove one of them
  column Four shows the InsuranceClass life of another column: remove one of them
level: Own = 1 {"IsUpfront":true} | column Own must have no IsUpfront: only Fee and Insurance columns have one
level: Own = Income * 2
  column Own names Income in its formula, which is neither a column nor an input; known: RemainingValue, Interest, PMT, Principal, ManagementFee, Insurance, Own, InterestPercent, Amount, InstallmentsNo, InstallmentNo, NoDays, DayCountFraction, ResidualValue, CapitalPercent, UnusedAmount, AdvanceAmount, UpFrontValue, LockedInstallment, LockedPrincipal, PeriodsPerYear, ContractPeriod
level: Own = 1 +; Other = PMT / 0
  column Own has a formula that cannot be read at position 4: a number, a name or ( is missing at the end
  column Other has a formula that cannot be calculated at position 5: this divides by zero, which has no value
only: RemainingValue RemainingValue; Interest = RemainingValue / 100; PMT PMT; Principal Balance
  column PMT is a level payment, which needs Interest by Linear or EffectiveRate: change one of the two
only: RemainingValue RemainingValue; Interest Linear; PMT PMT; Principal CapitalPercent
  column PMT is a level payment, which needs Principal by Balance: change one of the two
  IsWithEqualInstallments must be false unless Principal is calculated by Balance
only: RemainingValue RemainingValue; Interest Linear; Principal Balance
  column PMT is missing: Principal by Balance is PMT less Interest; add PMT before Principal
parts: PMT = Interest + Principal + 1
  column PMT must be Interest + Principal, or be left out, unless Principal is calculated by Balance
level: TotalInstallment = PMT + ManagementFee
  column TotalInstallment must have the Formula PMT + ManagementFee + Insurance, or be left out
level: TotalInstallment = PMT + PMT + Insurance
  column TotalInstallment must have the Formula PMT + ManagementFee + Insurance, or be left out
parts: TotalInstallment = 2 * Interest
  column TotalInstallment must have the Formula Interest + Principal, or be left out
parts {"IsWithEqualInstallments":true}
  IsWithEqualInstallments must be false unless Principal is calculated by Balance
level {"IsWithEqualInstallments":false} | IsWithEqualInstallments must be true, because PMT is a level payment
only {"InstallmentValueCustom":true}: RemainingValue RemainingValue; Interest Linear; Principal CapitalPercent
  InstallmentValueCustom must be false: no column reads a fixed payment or principal
only: RemainingValue RemainingValue; Interest Linear; PMT = lockedInstallment; Principal Balance
  column PMT reads a fixed payment or principal in its formula: InstallmentValueCustom must be true
parts {"AcceptsCharges":false}: ManagementFee Fee
  column ManagementFee must be left out unless AcceptsCharges is true
parts {"UseExpiryDate":true}
  column Principal must have the Formula 0, which repays at the end, unless UseExpiryDate is false
only {"InterestCapitalization":true}: RemainingValue RemainingValue; Interest Linear; Principal = Amount / 10
  column Principal must have the Formula 0, which repays at the end, unless InterestCapitalization is false
level {"PaymentScheduleTypeId":"own"} | PaymentScheduleTypeId must be a GUID that no other schedule type has
level {"PaymentScheduleCode":" "} | PaymentScheduleCode must have from 1 to 200 characters
level {"Status":"Live"} | Status must be one of Draft, Active, VersionDraft, Closed
level {"ScheduleInterestCalculationType":"31/360"}
  ScheduleInterestCalculationType must be one of 30/360, 30E/360, 30E/360 ISDA, 30/365, Actual/360, Actual/365, Actual/Actual
level {"MeasurementUnit":"Years"} | MeasurementUnit must be one of Days, Months
level {"Rounding":"DOWN"} | Rounding must be one of HALF_UP, HALF_EVEN
level {"ProductTypes":[]} | ProductTypes must list at least one of TL, MG, C, OD, BA, D, CC, LS
level {"ProductTypes":["TL","XX"]} | ProductTypes must list at least one of TL, MG, C, OD, BA, D, CC, LS
level {"MaximumInstallments":0} | MaximumInstallments must be a whole number from 1 to 1200
level {"MaximumInstallments":1201} | MaximumInstallments must be a whole number from 1 to 1200
level {"MaximumInstallments":1.5} | MaximumInstallments must be a whole number from 1 to 1200
`),
  )('$title', ({ record, faults }) => {
    expect(activationMessages(record)).toEqual(faults);
  });

  it('are more than 40, or none', () => {
    const many = Array.from({ length: 41 }, (_, place) => formulaColumn(`Own${place}`, 'Amount'));
    expect(withColumn(...many.slice(LEVEL_COLUMNS.length + 1))).toEqual([]);
    for (const columns of [[], many]) {
      expect(messagesOf(...columns)).toEqual(['PaymentScheduleTypeDetails must list from 1 to 40 columns']);
    }
  });

  it.each('dueDate INSTALLMENTNO eir dae capitalisedInterest explanation Amount min IF'.split(' '))(
    'have the reserved name %s',
    (name) => {
      expect(withColumn(formulaColumn(name, '1'))).toEqual([
        `column ${name} must have another name: this one is a row field, an input or a function`,
      ]);
    },
  );
});

describe('columns of a schedule type (S1, S2)', () => {
  it.each(['', 'VAT on fees', '1st', '__proto__', 'Größe', 'a'.repeat(65)])(
    'refuse the name "%s"',
    (name) => {
      const [message] = withColumn(formulaColumn(name, '1'));
      expect(message).toMatch(
        /^column .* must be one of RemainingValue, .*, or a name of up to 64 letters, digits/,
      );
    },
  );

  it('name the inputs that may be a Source', () => {
    expect(withColumn(columnOf('Own', 'Formula', { Source: 'Income' }))[0]).toMatch(
      /^column Own must have one of these as Source: InterestPercent, Amount, InstallmentsNo, /,
    );
  });

  it('charge upfront what columns with IsUpfront show, each commission and insurance class by its own (F1)', () => {
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

  it('require unique ids', () => {
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

  it('do not compile a formula with an unknown name', () => {
    expect(withColumn(formulaColumn('Own', 'Income + 1 / 0'))).toEqual([
      expect.stringContaining('column Own names Income in its formula'),
    ]);
  });
});

describe('settings of a schedule type (S1)', () => {
  it('have names of at most 200 characters', () => {
    expect(activationMessages(recordOf(LEVEL_COLUMNS, { PaymentScheduleTypeName: 'n'.repeat(201) }))).toEqual(
      ['PaymentScheduleTypeName must have from 1 to 200 characters'],
    );
  });

  it('are reported together with the faults of columns', () => {
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
