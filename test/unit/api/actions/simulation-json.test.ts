import { describe, expect, it } from 'vitest';
import { simulatePayload } from '../../../../shared/api/actions/simulate-action.ts';
import {
  commission,
  discount,
  insurance,
  interest,
  price,
  rate,
  recordOf,
} from '../../../support/worlds/simulated-product.ts';

const record = recordOf({
  interests: [interest(rate(8.5))],
  commissions: [commission({ Name: 'Fee "A"', ...price(100) })],
  insurances: [insurance({ IsUpfront: true, PeriodicityType: 'Annual' })],
  discounts: [
    discount(),
    discount({ Name: 'Five', IsPercentage: false, DiscountValue: 5 }),
    discount({ Name: 'Salary', AppliedToDimension: 'Interest', IsPercentage: false, DiscountValue: 0.55 }),
  ],
});

const textsOf = (changes: Partial<typeof record> = {}) =>
  simulatePayload([{ ...record, ...changes }], []).Records[0]!;

describe('the JSON string', () => {
  it('ScheduleJson has the rows with the fields and the spelling of the interface (4.4)', () => {
    expect(textsOf({ rows: record.rows.slice(0, 2) }).ScheduleJson).toBe(
      '{"paymentSchedule":[' +
        '{"InstallmentNo":0,"remainingValue":1000.00,"pMT":0.00,"interest":0.00,"principal":0.00,' +
        '"managementFee":0.00,"totalInstallment":0.00},' +
        '{"InstallmentNo":1,"remainingValue":1000.00,"pMT":254.15,"interest":6.63,"principal":247.52,' +
        '"managementFee":85.00,"totalInstallment":342.15,"insurance":3.00}]}',
    );
  });

  it('OutputInterestJson has the base rate and its discounts (4.4)', () => {
    expect(textsOf().OutputInterestJson).toBe(
      '{"BaseInterestPercent":8.5,"InterestDiscountValue":0.55,"InterestDiscountPercent":0}',
    );
  });

  it('OutputCommissionJson has CurrencyId, and OutputInsuranceJson has CurrenctyId (4.4)', () => {
    expect(JSON.parse(textsOf().OutputCommissionJson)).toEqual([
      {
        Name: 'Fee "A"',
        Value: 85,
        Percent: null,
        BaseValue: 100,
        BasePercent: null,
        DiscountValue: 5,
        DiscountPercent: 10,
        ValueIsPercent: false,
        CurrencyId: '2e9b7d10-4c86-4f35-a1d0-000000455552',
        FeePeriodicityType: 'Monthly',
        FeeDate: '2025-01-01',
        FeeId: '00000000-0000-4000-8000-000000000200',
        IsUpfront: null,
      },
    ]);
    expect(Object.keys(JSON.parse(textsOf().OutputInsuranceJson)[0])).toEqual([
      'Name',
      'Value',
      'Percent',
      'BaseValue',
      'BasePercent',
      'DiscountValue',
      'DiscountPercent',
      'ValueIsPercent',
      'CurrenctyId',
      'InsurancePeriodicityType',
      'InsuranceDate',
      'InsuranceId',
      'IsUpfront',
    ]);
    expect(textsOf({ insurances: [] }).OutputInsuranceJson).toBe('[]');
  });
});
