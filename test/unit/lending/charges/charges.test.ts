import { describe, expect, it } from 'vitest';
import { sumColumnCharges, collectRowCharges } from '../../../../shared/lending/charges/charge-amounts.ts';
import type { ExtraColumn } from '../../../../shared/lending/schedule-types/schedule-type.ts';
import type {
  CommissionItem,
  InsuranceItem,
} from '../../../../shared/lending/request/repayment-schedule-request.ts';
import {
  FIGURES,
  chargeContext,
  chargeFaults,
  chargeRules,
  chargeWarnings,
  fee,
  feesOn,
  monthlyRows,
  premium,
  premiumsOn,
  rowsWith,
  scheduleOn,
  rowsOn,
} from '../../../support/builders/lending-charges.ts';
import {
  date,
  decimal,
  loan,
  faultCodes,
  faultsOf,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';
import { parseChargeTerms } from '../../../../shared/lending/charges/charge-terms.ts';
import {
  refuseLateCharges,
  refuseTooLargeCharges,
  type ChargeSchedule,
} from '../../../../shared/lending/charges/schedule-charges.ts';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import {
  ChargeDirectory,
  type ChargeDefaults,
  type KnownCharge,
  type NameField,
} from '../../../../shared/lending/schedule-types/known-charges.ts';

const ofFee = (changes: Partial<CommissionItem>) => ({ Commission: [fee(changes)] });
const ofCover = (changes: Partial<InsuranceItem>) => ({ Insurance: [premium(changes)] });
const BOTH = { SourceValue: decimal(5), SourcePercent: decimal(1) };
const NONE = { SourceValue: undefined, SourcePercent: undefined };

describe('fields of a charge (F1, F2, F3, M2, M6)', () => {
  it.each<[fault: string, Parameters<typeof chargeFaults>[0]]>([
    ['Commission[0].SourceValue mutually-exclusive 400', ofFee(BOTH)],
    ['Insurance[1].SourceValue mutually-exclusive 400', { Insurance: [premium(), premium(NONE)] }],
    ['Commission[0].SourceValue out-of-range 422', ofFee({ SourceValue: decimal('-0.01') })],
    ['Commission[0].SourceValue too-many-decimals 422', ofFee({ SourceValue: decimal('0.001') })],
    ['Insurance[0].SourceValue amount-too-large 422', ofCover({ SourceValue: decimal('1e30') })],
    ['Commission[0].SourcePercent out-of-range 422', ofFee({ SourcePercent: decimal(-1) })],
    ['Commission[0].SourcePercent out-of-range 422', ofFee({ SourcePercent: decimal(Number.NaN) })],
    ['Insurance[0].SourcePercent out-of-range 422', ofCover({ SourcePercent: decimal('100000.01') })],
    ['Commission[0].SourcePercent too-many-decimals 422', ofFee({ SourcePercent: decimal('1e-31') })],
    [
      'Commission[0].FeePeriodicityType not-allowed 422',
      {
        ...ofFee({ ...ONE_PERCENT, IsForUnusage: true, FeePeriodicityType: 'Once' }),
        UnusedAmount: decimal(1),
      },
    ],
    [
      'Insurance[0].PerAnnum not-allowed 422',
      ofCover({ ...ONE_PERCENT, PerAnnum: true, InsurancePeriodicityType: 'once' }),
    ],
    ['Commission[0].FeePeriodicityType unknown-periodicity 422', ofFee({ FeePeriodicityType: 'Never' })],
    ['Commission[0].GracePeriodFee out-of-range 422', ofFee({ GracePeriodFee: 1201 })],
    ['Insurance[0].GracePeriodInsurance out-of-range 422', ofCover({ GracePeriodInsurance: -1 })],
    ['Commission[0].PercentAppliedTo unknown-value 422', ofFee({ ...ONE_PERCENT, PercentAppliedTo: 'All' })],
    ['Commission[0].PercentAppliedTo unknown-value 422', ofFee({ PercentAppliedTo: 'Balance' })],
    ['Commission[0].FeeDate date-order 422', ofFee({ FeeDate: date('2025-05-02') })],
    ['Insurance[0].InsuranceDate date-order 422', ofCover({ InsuranceDate: date('2025-05-02') })],
    ['Commission[0].FeeName missing 400', ofFee({ FeeName: undefined })],
    ['Insurance[0].InsuranceName missing 400', ofCover({ InsuranceName: undefined })],
    ['Commission out-of-range 422', { Commission: Array.from({ length: 201 }, () => fee()) }],
    ['UnusedAmount missing 400', ofFee({ ...ONE_PERCENT, IsForUnusage: true })],
    ['UnusedAmount missing 400', ofCover({ ...ONE_PERCENT, PercentAppliedTo: 'UnusedAmount' })],
    ['UnusedAmount out-of-range 422', { UnusedAmount: decimal(-1) }],
    ['UnusedAmount too-many-decimals 422', { UnusedAmount: decimal('0.001') }],
  ])('are refused with %s for %j', (fault, changes) => {
    expect(chargeFaults(changes)).toEqual([fault]);
  });

  it.each<[string, Parameters<typeof chargeFaults>[0]]>([
    ['an amount of 0', ofFee({ SourceValue: decimal(0) })],
    ['30 decimals', ofFee({ SourcePercent: decimal('0.000000000000000000000000000001') })],
    ['a periodicity in other letters', ofFee({ FeePeriodicityType: 'mONTHLY ' })],
    ['1200 rows of grace', ofFee({ GracePeriodFee: 1200 })],
    ['a base in other letters', ofFee({ ...ONE_PERCENT, PercentAppliedTo: ' remainingVALUE' })],
    ['FeeId instead of FeeName', ofFee({ FeeName: undefined, FeeId: 'id-a' })],
    ['the id of a class', ofCover({ InsuranceName: undefined, InsuranceClassId: 'class-7' })],
    ['the name of a class', ofCover({ InsuranceName: undefined, InsuranceClassName: 'Life' })],
    ['200 items', { Commission: Array.from({ length: 200 }, () => fee()) }],
    [
      'an unused amount of 0',
      { ...ofCover({ ...ONE_PERCENT, PercentAppliedTo: 'UnusedAmount' }), UnusedAmount: decimal(0) },
    ],
  ])('may have %s', (_what, changes) => {
    expect(chargeFaults(changes)).toEqual([]);
  });

  it('name the known periodicities', () => {
    const { validation } = scheduleOn(monthlyRows('2025-01-01', 4), {
      Commission: [fee({ FeePeriodicityType: 'Fortnightly' })],
    });
    expect(validation.faults[0]?.message).toMatch(/^must be one of Once, .*Yearly$/);
  });

  it('accept a periodicity of the catalogue (D7)', () => {
    const periodicities = [{ name: 'Every 10 days', count: 10, unit: 'Days' }] as const;
    expect(chargeFaults(ofFee({ FeePeriodicityType: 'every 10 days' }), { periodicities })).toEqual([]);
  });

  it('accepts a first date up to the last due date, although a charge that starts there is never collected', () => {
    const rows = monthlyRows('2025-01-01', 4);
    for (const IsUpfront of [false, true]) {
      const Commission = [fee({ FeeDate: date('2025-05-01'), IsUpfront })];
      expect(feesOn(rows, { Commission })).toEqual([0, 0, 0, 0]);
    }
  });

  it('reports all faults', () => {
    const bad = fee({
      SourceValue: decimal(-5),
      FeePeriodicityType: 'Never',
      FeeName: undefined,
      GracePeriodFee: 1.5,
      BlockFeeAmount: decimal(-1),
      PercentAppliedTo: 'Nothing',
    });
    expect(chargeFaults({ Commission: [bad], Insurance: [premium({ InsuranceName: ' ' })] })).toEqual([
      'Commission[0].FeeName missing 400',
      'Commission[0].FeePeriodicityType unknown-periodicity 422',
      'Commission[0].SourceValue out-of-range 422',
      'Commission[0].PercentAppliedTo unknown-value 422',
      'Commission[0].GracePeriodFee out-of-range 422',
      'Commission[0].BlockFeeAmount out-of-range 422',
      'Insurance[0].InsuranceName missing 400',
    ]);
  });
});

const UNUSED = { UnusedAmount: decimal(400), StartDateForUnusage: date('2025-01-16') };
const UNUSAGE = { SourcePercent: decimal(1), IsForUnusage: true, PerAnnum: true };
const BLOCKED = {
  Commission: [fee({ BlockFeeAmount: decimal(3) })],
  Insurance: [premium({ BlockInsuranceAmount: decimal(4) })],
};

describe('ignored fields of charges (E5)', () => {
  it.each<[paths: string, Parameters<typeof chargeWarnings>[0]]>([
    [
      'Commission[0].PercentAppliedTo Commission[0].PerAnnum Commission[0].IsForUnusage',
      ofFee({ PercentAppliedTo: 'Principal', PerAnnum: true, IsForUnusage: true }),
    ],
    [
      'Insurance[0].PercentAppliedTo Insurance[0].PerAnnum',
      ofCover({ PercentAppliedTo: 'Interest', PerAnnum: true }),
    ],
    [
      '',
      {
        ...ofFee({ PerAnnum: false, IsForUnusage: false, BlockFeeAmount: decimal(0) }),
        UnusedAmount: decimal(0),
      },
    ],
    ['', { UnusedAmount: decimal(400), ...ofFee({ ...UNUSAGE, PercentAppliedTo: 'unusedamount' }) }],
    [
      'Commission[0].PercentAppliedTo Commission[0].IsUpfront',
      {
        UnusedAmount: decimal(400),
        ...ofFee({ ...UNUSAGE, PercentAppliedTo: 'Principal', IsUpfront: true }),
      },
    ],
    ['UnusedAmount StartDateForUnusage', UNUSED],
    [
      'Commission[0].IsForUnusage UnusedAmount StartDateForUnusage',
      { ...UNUSED, ...ofFee({ IsForUnusage: true }) },
    ],
    [
      'StartDateForUnusage',
      { ...UNUSED, ...ofCover({ SourcePercent: decimal(1), PercentAppliedTo: 'UnusedAmount' }) },
    ],
    ['Commission[0].BlockFeeAmount Insurance[0].BlockInsuranceAmount', BLOCKED],
    ['Commission[0].BlockFeeAmount Insurance[0].BlockInsuranceAmount', { ...BLOCKED, IsLocked: false }],
    ['', { ...BLOCKED, IsLocked: true }],
  ])('are "%s" for %j', (paths, changes) => {
    const expected = paths.split(' ').flatMap((path) => (path === '' ? [] : `${path} no-effect`));
    expect(chargeWarnings(changes)).toEqual(expected);
  });
});

describe('unused amount (F5)', () => {
  const unusage = fee({ SourcePercent: decimal(1), IsForUnusage: true });

  it('is charged from StartDateForUnusage or the start, and ExpiryDateForOD must not be earlier', () => {
    const UnusedAmount = decimal(400);
    const [StartDateForUnusage, ExpiryDateForOD] = [date('2025-02-01'), date('2025-01-31')];
    const request = { Commission: [unusage], UnusedAmount, ExpiryDateForOD };
    expect(chargeFaults({ ...request, StartDateForUnusage })).toEqual(['ExpiryDateForOD date-order 422']);
    expect(chargeFaults({ ...request, StartDateForUnusage: ExpiryDateForOD })).toEqual([]);
    expect(chargeFaults(request)).toEqual([]);
    expect(chargeFaults({ ...request, ExpiryDateForOD: date('2024-12-31') })).toEqual([
      'ExpiryDateForOD date-order 422',
    ]);
  });

  it('allows any order of the two dates if no charge uses them', () => {
    const dates = { StartDateForUnusage: date('2025-02-01'), ExpiryDateForOD: date('2025-01-31') };
    expect(chargeFaults({ ...dates, Commission: [fee()] })).toEqual([]);
  });
});

function column(name: string, method: ExtraColumn['method']): ExtraColumn {
  return { name, slot: 0, display: true, method };
}

describe('schedule types and charges', () => {
  const rows = monthlyRows('2025-01-01', 36);

  it('reject charges if the type does not accept any, such as Deposit (B4)', () => {
    const rules = chargeRules({ type: { acceptsCharges: false } });
    expect(
      chargeFaults({ Commission: [fee({ FeeName: undefined })], Insurance: [premium()] }, { rules }),
    ).toEqual(['Commission not-allowed 422', 'Insurance not-allowed 422']);
    expect(chargeFaults({ Commission: [], Insurance: [] }, { rules })).toEqual([]);
  });

  it('define whether an item without IsUpfront is due upfront (F1)', () => {
    const upfront = {
      fees: false,
      insurances: true,
      byFee: new Map([['account fee', true]]),
      byInsuranceClass: new Map([['class-7', false]]),
    };
    const isUpfront = (item: Partial<CommissionItem> | undefined, insurance?: Partial<InsuranceItem>) => {
      const Commission = item === undefined ? [] : [fee(item)];
      const Insurance = insurance === undefined ? [] : [premium(insurance)];
      const request = { Commission, Insurance };
      const { scheduled } = scheduleOn(rows, request, { rules: chargeRules({ upfront }) });
      return scheduled?.charges[0]?.item.isUpfront;
    };
    expect(isUpfront({ FeeName: 'ACCOUNT fee' })).toBe(true);
    expect(isUpfront({ FeeName: 'Account fee', IsUpfront: false })).toBe(false);
    expect(isUpfront({ FeeName: 'Other', FeeId: 'Account Fee' })).toBe(true);
    expect(isUpfront({ FeeName: 'Other' })).toBe(false);
    expect(isUpfront(undefined, {})).toBe(true);
    expect(isUpfront(undefined, { InsuranceClassId: 'Class-7' })).toBe(false);
    expect(isUpfront(undefined, { InsuranceClassId: 'Class-7', IsUpfront: true })).toBe(true);
    expect(isUpfront(undefined, { InsuranceName: 'class-7' })).toBe(true);
  });

  it('show an item in the columns of its commission or insurance class (F4)', () => {
    const rules = chargeRules({
      extras: [
        column('AccountFee', { kind: 'Fee', fee: 'account FEE' }),
        column('Life', { kind: 'Insurance', insuranceClass: 'life class' }),
        column('Unsold', { kind: 'Fee', fee: 'Unsold' }),
      ],
    });
    const Commission = [fee(), fee({ SourceValue: decimal(2) }), fee({ FeeName: 'Other' })];
    const Insurance = [premium({ InsuranceClassName: 'Life class', InsuranceName: 'Life 9' }), premium()];
    const { scheduled } = scheduleOn(rows, { Commission, Insurance }, { rules });
    const shown = (name: string, row: number) => scheduled && sumColumnCharges(scheduled, name, row, FIGURES);
    expect([shown('AccountFee', 0), shown('Life', 11), shown('Life', 0)]).toEqual([700, 6000, 0]);
    expect([shown('Unsold', 0), shown('NoSuchColumn', 0)]).toEqual([0, 0]);
  });

  it('reject a percentage of a figure that is calculated from the charges', () => {
    const steps = (['interest', 'charges', 'payment', 'principal'] as const).map((kind) => ({ kind }));
    const of = (PercentAppliedTo: string) =>
      chargeFaults(
        { Commission: [fee({ SourcePercent: decimal(1), PercentAppliedTo })] },
        { rules: chargeRules({ steps }) },
      );
    expect(of('Interest')).toEqual([]);
    expect(of('RemainingValue')).toEqual([]);
    expect(of('Principal')).toEqual(['Commission[0].PercentAppliedTo not-allowed 422']);
    expect(of('Installment')).toEqual(['Commission[0].PercentAppliedTo not-allowed 422']);
  });

  it('are not needed to validate the items', () => {
    expect(chargeFaults({ Commission: [fee()] }, { rules: undefined })).toEqual([]);
    expect(chargeFaults({ Commission: [fee({ FeeName: '' })] }, { rules: undefined })).toEqual([
      'Commission[0].FeeName missing 400',
    ]);
  });

  it('collect in arrears by default', () => {
    expect(rowsWith(premiumsOn(rows, { Insurance: [premium()] }))).toEqual([12, 24, 36]);
  });
});

const FOUR = monthlyRows('2025-01-01', 4);

const feesOf = (changes: Partial<CommissionItem>, schedule: ChargeSchedule = FOUR) =>
  feesOn(schedule, { Commission: [fee(changes)] });

describe('percentage charge (F2)', () => {
  const onePercent = { SourcePercent: decimal(1) };
  const figures = { remaining: 80_000, interest: 800, principal: 24_028 };
  const firstOf = (changes: Partial<CommissionItem>) =>
    feesOn(FOUR, { Commission: [fee(changes)], UnusedAmount: decimal(400) }, figures)[0];

  it.each([
    ['FinancedAmount', 1000],
    ['RemainingValue', 800],
    ['Principal', 240],
    ['Interest', 8],
    ['Installment', 248],
    ['UnusedAmount', 400],
    ['CreditValue', 1250],
  ] as const)('is based on %s if PercentAppliedTo names it', (PercentAppliedTo, expected) => {
    expect(firstOf({ ...onePercent, PercentAppliedTo })).toBe(expected);
  });

  it('is exact beyond the precision of floating point', () => {
    const percent = { SourcePercent: decimal('33.333333333333333333333333333333') };
    const schedule = { ...FOUR, amount: 999_999_999_999_999 };
    expect(feesOf(percent, schedule)[0]).toBe(333_333_333_333_333);
    expect(
      feesOf({ SourcePercent: decimal('12.345678901') }, { ...FOUR, amount: 987_654_321_098_765 })[0],
    ).toBe(121_932_631_134_705);
  });
});

const once = (FeeDate: string, changes: Partial<CommissionItem> = {}) => ({
  Commission: [fee({ FeePeriodicityType: 'Once', FeeDate: date(FeeDate), ...changes })],
});

describe('a single charge (F3)', () => {
  it.each([
    ['2025-01-01', [1]],
    ['2025-03-01', [2]],
    ['2025-03-02', [3]],
    ['2025-05-01', [4]],
    ['2024-12-31', []],
  ])('of %s is collected in rows %j', (day, expected) => {
    expect(rowsWith(feesOn(FOUR, once(day)))).toEqual(expected);
    expect(rowsWith(feesOn(FOUR, once(day, { IsUpfront: true })))).toEqual(expected);
    expect(chargeWarnings(once(day))).toEqual(expected.length === 0 ? ['Commission[0] no-effect'] : []);
  });

  it('on the start of a recalculation is settled, and waived in a grace period', () => {
    const recalculated = { ...FOUR, isRecalculation: true };
    expect(rowsWith(feesOn(recalculated, once('2025-01-01')))).toEqual([]);
    expect(rowsWith(feesOn(FOUR, once('2025-03-01', { GracePeriodFee: 2 })))).toEqual([]);
    expect(chargeWarnings(once('2025-03-01', { GracePeriodFee: 2 }))).toEqual([]);
  });

  it('reports IsUpfront, which concerns periods (E5)', () => {
    expect(chargeWarnings(once('2025-03-01', { IsUpfront: true }))).toEqual([
      'Commission[0].IsUpfront no-effect',
    ]);
  });

  it('is a percentage of the row that collects it', () => {
    const percent = { SourceValue: undefined, SourcePercent: decimal(1), PercentAppliedTo: 'RemainingValue' };
    expect(feesOn(FOUR, once('2025-03-10', percent))).toEqual([0, 0, 1000, 0]);
  });
});

describe('dates of charges (F3)', () => {
  it('drop charges before the start and keep later ones in full', () => {
    expect(feesOf({ FeeDate: date('2020-06-15') })).toEqual([500, 500, 500, 500]);
    const quarterly = { FeeDate: date('2024-11-15'), FeePeriodicityType: 'Quarterly' };
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: true }))).toEqual([2]);
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: false }))).toEqual([2]);
    const annual = { FeeDate: date('2024-12-31'), FeePeriodicityType: 'Annual', IsUpfront: true };
    expect(feesOf(annual)).toEqual([0, 0, 0, 0]);
  });

  it('assign charges in arrears on the start date of a recalculation to the settled row', () => {
    const FeeDate = date('2024-12-01');
    const recalculated = { ...FOUR, isRecalculation: true };
    expect(feesOf({ FeeDate, IsUpfront: true }, recalculated)).toEqual([500, 500, 500, 500]);
    expect(feesOf({ FeeDate, IsUpfront: false }, recalculated)).toEqual([500, 500, 500, 500]);
  });

  it.each([
    ['date', { FeeDate: date('2025-02-15') }, [0, 500, 1000, 1000]],
    ['place in the period', { IsUpfront: true }, [500, 1000, 1000, 1000]],
    ['periodicity', { FeePeriodicityType: 'Annual' }, [0, 500, 500, 500]],
  ])('are those of each item, if only its %s differs from the one before', (_name, changes, expected) => {
    const one = { FeeDate: date('2025-01-15') };
    expect(feesOn(FOUR, { Commission: [fee(one), fee({ ...one, ...changes })] })).toEqual(expected);
  });

  it('end with the last row shown (B6)', () => {
    const paid = { ...FOUR, dates: { ...FOUR.dates, rowCount: 2 } };
    expect(feesOf({}, paid)).toEqual([500, 500]);
    const late = { RealInstallmentNo: 2, Commission: [fee({ FeeDate: date('2025-03-02') })] };
    expect(faultsOf(late).map(({ path, code, message }) => [path, code, message])).toEqual([
      ['Commission[0].FeeDate', 'date-order', 'must be on or before the last due date, 2025-03-01'],
    ]);
  });

  it('reject a charge that starts after the last due date of a schedule that ends early', () => {
    const Commission = [fee(), fee({ FeeDate: date('2025-03-02') })];
    const request = loan({ Commission, Insurance: [premium()] });
    const validation = new Validation();
    refuseLateCharges(request, date('2025-03-01'), validation);
    expect(validation.faults).toMatchObject([{ path: 'Commission[1].FeeDate', code: 'date-order' }]);
  });
});

describe('charge totals of a row (F4)', () => {
  it('include blocked amounts in the first row, also without a charge in it (X2)', () => {
    const blocked = {
      IsLocked: true,
      Commission: [
        fee({ BlockFeeAmount: decimal(3), GracePeriodFee: 2 }),
        fee({ SourcePercent: decimal(1), PercentAppliedTo: 'Interest', BlockFeeAmount: decimal('0.5') }),
      ],
      Insurance: [premium({ BlockInsuranceAmount: decimal(7) })],
    };
    expect(feesOn(FOUR, blocked)).toEqual([360, 10, 510, 510]);
    expect(premiumsOn(FOUR, blocked)).toEqual([700, 0, 0, 0]);
    expect(feesOn(FOUR, { ...blocked, IsLocked: false })).toEqual([10, 10, 510, 510]);
  });
});

describe('commission for unusage (F5)', () => {
  const unusage = fee({ SourcePercent: decimal(1), IsForUnusage: true, FeePeriodicityType: 'Annual' });
  const request = { Commission: [unusage], UnusedAmount: decimal(400) };
  const actual: ChargeSchedule = { ...FOUR, dayCount: 'Actual/365' };

  it('costs 0.18 on 400 at 1 % from 16 January to 1 February by Actual/365', () => {
    const StartDateForUnusage = date('2025-01-16');
    expect(feesOn(actual, { ...request, StartDateForUnusage })).toEqual([18, 31, 34, 33]);
  });

  it('counts a full regular month as 30 days, and part of it by the convention (C2)', () => {
    const february = rowsOn(date('2025-01-31'), [date('2025-02-28')]);
    expect(feesOn(february, { ...request, UnusedAmount: decimal(3600) })).toEqual([300]);
    const StartDateForUnusage = date('2025-02-01');
    expect(feesOn(february, { ...request, UnusedAmount: decimal(3600), StartDateForUnusage })).toEqual([270]);
  });

  it('is waived in the grace period, and is a plain fee when it has a value', () => {
    const graced = { ...request, Commission: [{ ...unusage, GracePeriodFee: 1 }] };
    expect(feesOn(actual, graced)).toEqual([0, 31, 34, 33]);
    expect(feesOn(actual, { Commission: [fee({ IsForUnusage: true })] })).toEqual([500, 500, 500, 500]);
  });
});

describe('explanation of the charges of a row (S6, Explain)', () => {
  const { rows } = scheduleOf({
    LastDueDate: date('2025-01-01'),
    ActivationDate: undefined,
    IsLocked: true,
    Explain: true,
    UnusedAmount: decimal(400),
    AdvanceAmount: decimal(250),
    Commission: [
      fee({ FeePeriodicityType: 'Weekly' }),
      fee({ SourcePercent: decimal('0.5'), PercentAppliedTo: 'CreditValue', FeeName: 'Price' }),
      fee({
        SourcePercent: decimal('0.5'),
        PercentAppliedTo: 'Installment',
        PerAnnum: true,
        FeeName: 'Part',
      }),
      fee({ SourcePercent: decimal(1), IsForUnusage: true, FeeName: 'Unused' }),
      fee({ SourcePercent: decimal(1), FeePeriodicityType: 'Annual', BlockFeeAmount: decimal(2) }),
      fee({ SourcePercent: decimal('0.1'), GracePeriodFee: 3, FeeName: 'Late' }),
    ],
    Insurance: [premium({ InsurancePeriodicityType: 'Quarterly' })],
  });
  const explained = rows.map(({ explanation = [] }) => explanation.filter(({ name }) => name !== undefined));

  it('describes each item that the row collects', () => {
    expect(explained[0]?.map(({ name, formula }) => `${name}: ${formula}`)).toEqual([
      'Account fee: 4 * 5.00 = 20.00',
      'Price: CreditValue 1250.00 * 0.5 % = 6.25',
      'Part: Installment 256.28 * 0.5 % * 1/12 = 0.11',
      'Unused: UnusedAmount 400.00 * 1 % * 30/360 = 0.33',
      'Account fee: blocked: 2.00',
    ]);
    expect(explained[0]?.[3]).toMatchObject({ days: 30, basis: 360, rates: ['1'], base: 40_000 });
    expect(explained[3]?.map(({ name }) => name)).toEqual(['Account fee', 'Price', 'Part', 'Unused', 'Late']);
  });
});

function faultOf(items: readonly CommissionItem[], interest = 0): string {
  const { scheduled, validation } = scheduleOn(FOUR, { Commission: items });
  if (scheduled === undefined) return 'not scheduled';
  const sums = collectRowCharges(scheduled, 0, { ...FIGURES, interest });
  expect(Number.isSafeInteger(sums.managementFee)).toBe(true);
  refuseTooLargeCharges(scheduled, validation);
  return validation.faults.map(({ path, code }) => `${path} ${code}`).join();
}

describe('charges above the limit', () => {
  const huge = fee({ SourceValue: decimal('9999999999999') });

  it('reports the item that makes a sum of fixed amounts too large', () => {
    expect(faultOf([fee(), { ...huge, FeePeriodicityType: 'Daily' }])).toBe('Commission[1] amount-too-large');
    expect(faultOf(Array.from({ length: 10 }, () => huge))).toBe('Commission[9] amount-too-large');
  });

  it('reports fixed amounts that are too large in a later row before the sum of the first', () => {
    const daily = { ...huge, FeePeriodicityType: 'Daily' };
    const fees = [{ ...daily, FeeDate: date('2025-03-15') }, daily];
    expect(faultCodes({ Commission: fees })).toEqual(['Commission[0] amount-too-large']);
  });

  it('reports fixed amounts in rows that an early end drops', () => {
    const daily = { ...huge, FeePeriodicityType: 'Daily', FeeDate: date('2025-02-25') };
    const early = { installmentValue: decimal(600), Commission: [daily] };
    expect(faultCodes(early)).toEqual(['Commission[0] amount-too-large']);
  });

  it('reports the list whose percentages make the sum too large, not a small fixed amount after them', () => {
    const shares = [900, 500].map((percent) =>
      fee({ SourcePercent: decimal(percent), PercentAppliedTo: 'RemainingValue' }),
    );
    const Amount = decimal('9e12');
    const small = { Insurance: [premium({ InsurancePeriodicityType: 'Monthly' })] };
    expect(faultCodes({ Amount, Commission: shares, ...small })).toEqual(['Commission amount-too-large']);
    expect(faultCodes({ Amount, Commission: [...shares, fee()] })).toEqual(['Commission amount-too-large']);
  });

  it('reports the item whose percentage is too large', () => {
    const percent = fee({ SourcePercent: decimal(100_000), PercentAppliedTo: 'Interest' });
    expect(faultOf([percent], 8_900_000_000_000)).toBe('');
    expect(faultOf([percent], 9_100_000_000_000)).toBe('Commission[0] amount-too-large');
  });

  it('reports the list whose sum makes the instalment too large', () => {
    expect(faultOf([huge], 8_000_000_000_000_000)).toBe('');
    expect(faultOf([huge], 8_100_000_000_000_000)).toBe('Commission amount-too-large');
  });
});

const ONE_PERCENT = { SourcePercent: decimal(1) };

function known(names: Partial<Record<NameField, string>>, own: Partial<ChargeDefaults> = {}): KnownCharge {
  const plain = { appliedTo: undefined, perAnnum: false, isForUnusage: false };
  return { names, defaults: { ...plain, ...own } };
}

/** A catalogue with one list of charges. */
function directory(...charges: readonly KnownCharge[]): ChargeDirectory {
  const all = new ChargeDirectory();
  all.replace('list', charges);
  return all;
}

const SHARE = known({ FeeName: 'share', FeeId: 'id-1' }, { appliedTo: 'RemainingValue', perAnnum: true });
/** Warnings about a percentage that SHARE completes. */
const ADDED_BY_SHARE = ['PercentAppliedTo', 'PerAnnum'].map((name) => `Commission[0].${name} from-catalogue`);
const LINE = known({ FeeName: 'unused line', FeeId: 'id-2' }, { isForUnusage: true });
const LIFE = known(
  { InsuranceName: 'life', InsuranceClassName: 'persons', InsuranceClassId: 'class-1' },
  { appliedTo: 'RemainingValue' },
);
const HOME = known({ InsuranceName: 'home', InsuranceClassName: 'things', InsuranceClassId: 'class-2' });
const ALL = directory(SHARE, LINE, LIFE, HOME);

function itemOf(
  charge: { readonly Commission?: [CommissionItem]; readonly Insurance?: [InsuranceItem] },
  knownCharges?: ChargeDirectory,
  rules = chargeRules(),
) {
  const context = chargeContext({ knownCharges, rules });
  const terms = parseChargeTerms(loan({ ...charge, UnusedAmount: decimal(400) }), context);
  if (terms?.items[0] === undefined) throw new Error(JSON.stringify(context.validation.faults));
  return terms.items[0];
}
const feeItem = (changes: Partial<CommissionItem>, knownCharges = ALL) =>
  itemOf({ Commission: [fee({ ...ONE_PERCENT, ...changes })] }, knownCharges);
const premiumItem = (changes: Partial<InsuranceItem>, knownCharges = ALL) =>
  itemOf({ Insurance: [premium({ ...ONE_PERCENT, ...changes })] }, knownCharges);
const premiumFaults = (changes: Partial<InsuranceItem>, knownCharges = ALL) =>
  chargeFaults({ Insurance: [premium(changes)] }, { knownCharges });
const premiumWarnings = (changes: Partial<InsuranceItem>, knownCharges = ALL) =>
  chargeWarnings({ Insurance: [premium(changes)] }, { knownCharges });
const feeWarnings = (changes: Partial<CommissionItem>, knownCharges = ALL) =>
  chargeWarnings({ Commission: [fee(changes)] }, { knownCharges });

describe('defaults of the catalogue (S6)', () => {
  it('apply to fields that the request omits, found by case-insensitive name or id', () => {
    for (const names of [{ FeeName: ' SHARE ' }, { FeeName: undefined, FeeId: 'ID-1' }]) {
      expect(feeItem(names).price).toMatchObject({ base: 'RemainingValue', partOfYear: [1, 12] });
    }
    expect(premiumItem({ InsuranceName: 'Life' })).toMatchObject({
      price: { base: 'RemainingValue', partOfYear: undefined },
    });
  });

  it('are reported only if they change a figure', () => {
    expect(feeWarnings({ ...ONE_PERCENT, FeeName: 'Share' })).toEqual(ADDED_BY_SHARE);
    expect(feeWarnings({ ...ONE_PERCENT, FeeName: 'Share', PerAnnum: false })).toEqual([
      'Commission[0].PercentAppliedTo from-catalogue',
    ]);
    expect(premiumWarnings({ ...ONE_PERCENT, InsuranceName: 'Life' })).toEqual([
      'Insurance[0].PercentAppliedTo from-catalogue',
    ]);
    expect(premiumWarnings({ ...ONE_PERCENT, InsuranceName: 'Home' })).toEqual([]);
    const financed = directory(known({ FeeName: 'share' }, { appliedTo: 'FinancedAmount' }));
    expect(feeWarnings({ ...ONE_PERCENT, FeeName: 'Share' }, financed)).toEqual([]);
  });

  it('do not apply to unknown names or without a catalogue', () => {
    expect(feeItem({ FeeName: 'Mystery' }).price).toMatchObject({ base: 'FinancedAmount' });
    const Commission: [CommissionItem] = [fee({ ...ONE_PERCENT, FeeName: 'Share' })];
    expect(itemOf({ Commission }).price).toMatchObject({ base: 'FinancedAmount', partOfYear: undefined });
  });

  it('supply the insurance class and commission name that the schedule type refers to (F4)', () => {
    const upfront = {
      fees: false,
      insurances: false,
      byFee: new Map([['home fee', true]]),
      byInsuranceClass: new Map([['class-2', true]]),
    };
    const rules = chargeRules({ upfront });
    const charges = directory(HOME, known({ FeeName: 'home fee', FeeId: 'id-9' }));
    expect(itemOf({ Insurance: [premium({ InsuranceName: 'Home' })] }, charges, rules).isUpfront).toBe(true);
    const byId = fee({ FeeName: undefined, FeeId: 'id-9' });
    expect(itemOf({ Commission: [byId] }, charges, rules).isUpfront).toBe(true);
    const other = premium({ InsuranceName: 'Home', InsuranceClassId: 'class-7' });
    expect(itemOf({ Insurance: [other] }, charges, rules).isUpfront).toBe(false);
  });
});

describe('commission for unusage by the catalogue (F5)', () => {
  it('is charged on the unused amount, which it requires', () => {
    const Commission = [fee({ ...ONE_PERCENT, FeeName: 'Unused line' })];
    expect(feeItem({ FeeName: 'Unused line' }).price.kind).toBe('unusage');
    expect(chargeFaults({ Commission }, { knownCharges: ALL })).toEqual(['UnusedAmount missing 400']);
    expect(chargeFaults({ Commission }, {})).toEqual([]);
    expect(chargeWarnings({ Commission, UnusedAmount: decimal(400) }, { knownCharges: ALL })).toEqual([
      'Commission[0].IsForUnusage from-catalogue',
    ]);
  });

  it('requires the unused amount if only its base is UnusedAmount', () => {
    const knownCharges = directory(known({ FeeName: 'on unused' }, { appliedTo: 'UnusedAmount' }));
    const Commission = [fee({ ...ONE_PERCENT, FeeName: 'On unused' })];
    expect(chargeFaults({ Commission }, { knownCharges })).toEqual(['UnusedAmount missing 400']);
  });
});

/** Lists with a commission of the same name; the first is SHARE. */
const charges = (...other: readonly Partial<ChargeDefaults>[]) => {
  const all = directory(SHARE);
  for (const [place, defaults] of other.entries()) {
    all.replace(`other ${place}`, [known({ FeeName: 'share', FeeId: `id-${place}0` }, defaults)]);
  }
  return all;
};

describe('a commission name in several lists (S6)', () => {
  it('gets the defaults if all lists agree', () => {
    const same = charges({ appliedTo: 'remainingvalue', perAnnum: true });
    expect(feeItem({ FeeName: 'Share' }, same).price).toMatchObject({ base: 'RemainingValue' });
    expect(feeWarnings({ FeeName: 'Share', ...ONE_PERCENT }, same)).toEqual(ADDED_BY_SHARE);
  });

  it('gets no defaults but a warning if the lists differ, unless the request has the id', () => {
    const other = charges({ appliedTo: 'Interest', perAnnum: true });
    const plain = { base: 'FinancedAmount', partOfYear: undefined };
    expect(feeItem({ FeeName: 'Share' }, other).price).toMatchObject(plain);
    const ambiguous = ['Commission[0].FeeName ambiguous-name'];
    expect(feeWarnings({ FeeName: 'Share', ...ONE_PERCENT }, other)).toEqual(ambiguous);
    expect(feeItem({ FeeName: 'Share', FeeId: 'id-00' }, other).price).toMatchObject({ base: 'Interest' });
    const byId = feeItem({ FeeName: undefined, FeeId: 'id-1' }, other);
    expect(byId.price).toMatchObject({ base: 'RemainingValue' });
    expect(feeWarnings({ FeeName: 'Share', FeeId: 'id-00', ...ONE_PERCENT }, other)).toEqual(ADDED_BY_SHARE);
  });
});

describe('name and class of an insurance (F1)', () => {
  it('are rejected if they belong to different insurances of the catalogue', () => {
    expect(premiumFaults({ InsuranceName: 'Life', InsuranceClassId: 'CLASS-2' })).toEqual([
      'Insurance[0].InsuranceClassId exclusive 400',
    ]);
    expect(premiumFaults({ InsuranceName: 'Life', InsuranceClassName: 'Things' })).toEqual([
      'Insurance[0].InsuranceClassName exclusive 400',
    ]);
    const classes = { InsuranceName: undefined, InsuranceClassName: 'Persons', InsuranceClassId: 'class-2' };
    expect(premiumFaults(classes)).toEqual(['Insurance[0].InsuranceClassId exclusive 400']);
    const agreeing = { InsuranceClassName: 'PERSONS', InsuranceClassId: 'class-1' };
    expect(premiumFaults({ InsuranceName: 'Life', ...agreeing })).toEqual([]);
    expect(premiumWarnings({ InsuranceName: 'Life', ...agreeing })).toEqual([]);
  });

  it('are reported if the catalogue does not contain them', () => {
    expect(premiumWarnings({ InsuranceName: 'Mystery', InsuranceClassId: 'class-1' })).toEqual([
      'Insurance[0].InsuranceName unknown-name',
    ]);
    expect(premiumWarnings({ InsuranceName: 'Life', InsuranceClassName: 'Animals' })).toEqual([
      'Insurance[0].InsuranceClassName unknown-name',
    ]);
  });

  it('are not compared if the catalogue or the insurance has no class', () => {
    const classless = directory(known({ InsuranceName: 'life' }, { perAnnum: true }));
    const sent = { ...ONE_PERCENT, InsuranceName: 'Life', InsuranceClassId: 'class-2' };
    const added = ['Insurance[0].PerAnnum from-catalogue'];
    expect(premiumWarnings(sent, classless)).toEqual(added);
    const beside = directory(known({ InsuranceName: 'life' }, { perAnnum: true }), HOME);
    expect(premiumWarnings(sent, beside)).toEqual(added);
    expect(premiumItem(sent, beside).price).toMatchObject({ partOfYear: [12, 12] });
  });

  it('select the defaults that all insurances of a class share if only the class is sent', () => {
    const byClass = { InsuranceName: undefined, InsuranceClassId: 'class-1' };
    expect(premiumItem(byClass).price).toMatchObject({ base: 'RemainingValue' });
    const differing = directory(LIFE, known({ InsuranceName: 'travel', InsuranceClassId: 'class-1' }));
    expect(premiumItem(byClass, differing).price).toMatchObject({ base: 'FinancedAmount' });
    expect(premiumWarnings({ ...ONE_PERCENT, ...byClass }, differing)).toEqual([
      'Insurance[0].InsuranceClassId ambiguous-name',
    ]);
  });
});

describe('name and id of a commission (F1)', () => {
  it.each([
    ['Share', 'ID-1', []],
    ['Unused line', 'id-1', ['Commission[0].FeeId exclusive 400']],
    ['Mystery', 'id-1', ['Commission[0].FeeId exclusive 400']],
    ['Share', 'id-9', ['Commission[0].FeeId exclusive 400']],
    ['Mystery', 'id-9', []],
  ])('%s and %s have the faults %j', (FeeName, FeeId, faults) => {
    expect(chargeFaults({ Commission: [fee({ FeeName, FeeId })] }, { knownCharges: ALL })).toEqual(faults);
  });

  it('are reported if the catalogue does not contain them, or only as an insurance', () => {
    expect(feeWarnings({ FeeName: undefined, FeeId: 'id-9' })).toEqual(['Commission[0].FeeId unknown-name']);
    expect(feeWarnings({ FeeName: 'Life' })).toEqual(['Commission[0].FeeName unknown-name']);
  });
});
