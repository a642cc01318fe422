import { describe, expect, it } from 'vitest';
import { sumColumnCharges } from '../../../../shared/lending/charges/charge-amounts.ts';
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
} from '../../../support/builders/lending-charges.ts';
import { date, decimal, loan } from '../../../support/builders/lending-loan.ts';
import { parseChargeTerms } from '../../../../shared/lending/charges/charge-terms.ts';

const ofFee = (changes: Partial<CommissionItem>) => ({ Commission: [fee(changes)] });
const ofPremium = (changes: Partial<InsuranceItem>) => ({ Insurance: [premium(changes)] });
const BOTH = { SourceValue: decimal(5), SourcePercent: decimal(1) };
const NONE = { SourceValue: undefined, SourcePercent: undefined };
const ONE_PERCENT = { SourcePercent: decimal(1) };

describe('fields of a charge (F1, F2, F3, M2, M6)', () => {
  it.each<[fault: string, Parameters<typeof chargeFaults>[0]]>([
    ['Commission[0] exclusive 400', ofFee(BOTH)],
    ['Insurance[0] exclusive 400', ofPremium(BOTH)],
    ['Commission[0] missing 400', ofFee(NONE)],
    ['Insurance[1] missing 400', { Insurance: [premium(), premium(NONE)] }],
    ['Commission[0].SourceValue out-of-range 422', ofFee({ SourceValue: decimal('-0.01') })],
    ['Commission[0].SourceValue too-many-decimals 422', ofFee({ SourceValue: decimal('0.001') })],
    ['Insurance[0].SourceValue amount-too-large 422', ofPremium({ SourceValue: decimal('1e30') })],
    ['Commission[0].SourcePercent out-of-range 422', ofFee({ SourcePercent: decimal(-1) })],
    ['Commission[0].SourcePercent out-of-range 422', ofFee({ SourcePercent: decimal(Number.NaN) })],
    ['Insurance[0].SourcePercent out-of-range 422', ofPremium({ SourcePercent: decimal('100000.01') })],
    ['Commission[0].SourcePercent too-many-decimals 422', ofFee({ SourcePercent: decimal('1e-31') })],
    ['Commission[0].FeePeriodicityType not-allowed 422', ofFee({ FeePeriodicityType: 'Once' })],
    [
      'Commission[0].FeePeriodicityType unknown-periodicity 422',
      ofFee({ FeePeriodicityType: 'Fortnightly' }),
    ],
    [
      'Insurance[0].InsurancePeriodicityType not-allowed 422',
      ofPremium({ InsurancePeriodicityType: 'once' }),
    ],
    ['Commission[0].GracePeriodFee out-of-range 422', ofFee({ GracePeriodFee: 1201 })],
    ['Insurance[0].GracePeriodInsurance out-of-range 422', ofPremium({ GracePeriodInsurance: -1 })],
    [
      'Commission[0].PercentAppliedTo unknown-value 422',
      ofFee({ ...ONE_PERCENT, PercentAppliedTo: 'Balance' }),
    ],
    ['Commission[0].PercentAppliedTo unknown-value 422', ofFee({ PercentAppliedTo: 'Balance' })],
    ['Commission[0].FeeDate date-order 422', ofFee({ FeeDate: date('2025-05-02') })],
    ['Insurance[0].InsuranceDate date-order 422', ofPremium({ InsuranceDate: date('2025-05-02') })],
    ['Commission[0].FeeName missing 400', ofFee({ FeeName: undefined })],
    ['Insurance[0].InsuranceName missing 400', ofPremium({ InsuranceName: undefined })],
    ['Commission out-of-range 422', { Commission: Array.from({ length: 201 }, () => fee()) }],
    ['UnusedAmount missing 400', ofFee({ ...ONE_PERCENT, IsForUnusage: true })],
    ['UnusedAmount missing 400', ofPremium({ ...ONE_PERCENT, PercentAppliedTo: 'UnusedAmount' })],
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
    ['the id of a class', ofPremium({ InsuranceName: undefined, InsuranceClassId: 'class-7' })],
    ['the name of a class', ofPremium({ InsuranceName: undefined, InsuranceClassName: 'Life' })],
    ['200 items', { Commission: Array.from({ length: 200 }, () => fee()) }],
    [
      'an unused amount of 0',
      { ...ofPremium({ ...ONE_PERCENT, PercentAppliedTo: 'UnusedAmount' }), UnusedAmount: decimal(0) },
    ],
  ])('may have %s', (_what, changes) => {
    expect(chargeFaults(changes)).toEqual([]);
  });

  it('name the known periodicities, and UpFrontValue for a single charge', () => {
    const { validation } = scheduleOn(monthlyRows('2025-01-01', 4), {
      Commission: [fee({ FeePeriodicityType: 'Once' }), fee({ FeePeriodicityType: 'Fortnightly' })],
    });
    expect(validation.faults[0]?.message).toContain('UpFrontValue');
    expect(validation.faults[1]?.message).toMatch(/^must be one of Daily, .*Yearly$/);
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
      FeePeriodicityType: 'Once',
      FeeName: undefined,
      GracePeriodFee: 1.5,
      BlockFeeAmount: decimal(-1),
      PercentAppliedTo: 'Nothing',
    });
    expect(chargeFaults({ Commission: [bad], Insurance: [premium({ InsuranceName: ' ' })] })).toEqual([
      'Commission[0].FeeName missing 400',
      'Commission[0].FeePeriodicityType not-allowed 422',
      'Commission[0].SourceValue out-of-range 422',
      'Commission[0].PercentAppliedTo unknown-value 422',
      'Commission[0].GracePeriodFee out-of-range 422',
      'Commission[0].BlockFeeAmount out-of-range 422',
      'Insurance[0].InsuranceName missing 400',
    ]);
  });
});

describe('ignored fields of charges (E5)', () => {
  it('include percentage settings of a charge that is an amount', () => {
    const Commission = [fee({ PercentAppliedTo: 'Principal', PerAnnum: true, IsForUnusage: true })];
    const Insurance = [premium({ PercentAppliedTo: 'Interest', PerAnnum: true })];
    expect(chargeWarnings({ Commission, Insurance })).toEqual([
      'Commission[0].PercentAppliedTo no-effect',
      'Commission[0].PerAnnum no-effect',
      'Commission[0].IsForUnusage no-effect',
      'Insurance[0].PercentAppliedTo no-effect',
      'Insurance[0].PerAnnum no-effect',
    ]);
  });

  it('exclude fields that are false or zero', () => {
    const Commission = [fee({ PerAnnum: false, IsForUnusage: false, BlockFeeAmount: decimal(0) })];
    expect(chargeWarnings({ Commission, UnusedAmount: decimal(0) })).toEqual([]);
  });

  it('include the base and IsUpfront of a charge for unusage, which is always per annum (F5)', () => {
    const unusage = { SourcePercent: decimal(1), IsForUnusage: true, PerAnnum: true };
    const Commission = [
      fee({ ...unusage, PercentAppliedTo: 'unusedamount' }),
      fee({ ...unusage, PercentAppliedTo: 'Principal', IsUpfront: true }),
    ];
    expect(chargeWarnings({ Commission, UnusedAmount: decimal(400) })).toEqual([
      'Commission[1].PercentAppliedTo no-effect',
      'Commission[1].IsUpfront no-effect',
    ]);
  });

  it('include the unused amount and its start if no charge needs them', () => {
    const unused = { UnusedAmount: decimal(400), StartDateForUnusage: date('2025-01-16') };
    const onUnused = { SourcePercent: decimal(1), PercentAppliedTo: 'UnusedAmount' };
    expect(chargeWarnings(unused)).toEqual(['UnusedAmount no-effect', 'StartDateForUnusage no-effect']);
    expect(chargeWarnings({ ...unused, Commission: [fee({ IsForUnusage: true })] })).toEqual([
      'Commission[0].IsForUnusage no-effect',
      'UnusedAmount no-effect',
      'StartDateForUnusage no-effect',
    ]);
    expect(chargeWarnings({ ...unused, Insurance: [premium(onUnused)] })).toEqual([
      'StartDateForUnusage no-effect',
    ]);
  });

  it('include blocked amounts unless IsLocked is true (X2)', () => {
    const Commission = [fee({ BlockFeeAmount: decimal(3) })];
    const Insurance = [premium({ BlockInsuranceAmount: decimal(4) })];
    const blocks = ['Commission[0].BlockFeeAmount no-effect', 'Insurance[0].BlockInsuranceAmount no-effect'];
    expect(chargeWarnings({ Commission, Insurance })).toEqual(blocks);
    expect(chargeWarnings({ Commission, Insurance, IsLocked: false })).toEqual(blocks);
    expect(chargeWarnings({ Commission, Insurance, IsLocked: true })).toEqual([]);
  });
});

function hasUnusageFee(items: readonly CommissionItem[]): boolean | undefined {
  const request = loan({ Commission: items, UnusedAmount: decimal(400) });
  return parseChargeTerms(request, chargeContext())?.hasUnusageFee;
}

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

  it('determines whether the two dates have an effect', () => {
    expect(hasUnusageFee([unusage])).toBe(true);
    expect(hasUnusageFee([fee({ SourcePercent: decimal(1), PercentAppliedTo: 'UnusedAmount' })])).toBe(false);
    expect(hasUnusageFee([fee({ IsForUnusage: true })])).toBe(false);
    expect(hasUnusageFee([])).toBe(false);
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
