import { describe, expect, it } from 'vitest';
import type {
  CommissionRecord,
  CommissionValue,
  InsuranceRecord,
} from '../../../../shared/product/catalogue/list-records.ts';
import { currencyId } from '../../../../shared/product/simulation/charge-prices.ts';
import {
  commission,
  guid,
  insurance,
  insuranceItem,
  interest,
  messagesOf,
  price,
  recordOf,
  warningsOf,
} from '../../../support/worlds/simulated-product.ts';

const withCommission = (changes: Partial<CommissionRecord>) =>
  recordOf({ commissions: [commission(changes)] });
const withInsurance = (changes: Partial<InsuranceRecord>) => recordOf({ insurances: [insurance(changes)] });

/** A value that is valid from a day on. */
function dated(ValidFrom: string, CommissionValue: number): CommissionValue {
  return { CommissionValue, CommissionPercent: null, Status: 'Active', ValidFrom, ValidTo: null };
}

describe('the terms of an offer', () => {
  it('have no charge fields if there are no charges', () => {
    const { terms } = recordOf({ commissions: [], insurances: [] });
    expect(terms).not.toHaveProperty('Commission');
    expect(terms).not.toHaveProperty('Insurance');
    expect(terms).not.toHaveProperty('UpFrontValue');
  });
});

describe('the commissions of a simulation', () => {
  it('are Active, in the schedule, automatic or mandatory, and not for unused amounts (Q6)', () => {
    expect(withCommission({}).commissions).toHaveLength(1);
    const mandatory = { AutomaticLoadOnContract: false, MandatoryForApplicant: true };
    expect(withCommission(mandatory).commissions).toHaveLength(1);
    expect(withCommission({ ...mandatory, MandatoryForApplicant: false }).commissions).toEqual([]);
    expect(withCommission({ Status: 'Draft' }).commissions).toEqual([]);
    expect(withCommission({ IncludedInRepaymentSchedule: false }).commissions).toEqual([]);
    const unusage = { IsForUnusage: true, ValueIsPercent: true, ...price(null, 1) };
    expect(withCommission(unusage).commissions).toEqual([]);
  });

  it('have the value of the day, and are omitted if there is none (L2)', () => {
    const ended = { ...dated('2020-01-01', 7), ValidTo: '2024-12-31' };
    expect(withCommission({ Values: [ended, dated('2025-01-01', 9)] }).firstFee).toBe(900);
    expect(withCommission({ Values: [ended, dated('2025-01-02', 9)] }).commissions).toEqual([]);
    expect(withCommission({ Values: [{ ...dated('2025-01-01', 9), Status: 'Closed' }] }).firstFee).toBe(0);
  });

  it('with the periodicity Once are paid at the start, and add up to UpFrontValue (Q6)', () => {
    const once = { PeriodicityType: 'Once' };
    const record = recordOf({
      commissions: [
        commission({ ...once, ...price(100) }),
        commission({ ...once, Id: guid(201), Name: 'Share', ValueIsPercent: true, ...price(null, 1.5) }),
        commission({ Id: guid(202), Name: 'Monthly' }),
      ],
      insurances: [insurance({ ...once })],
    });
    expect(record.terms.UpFrontValue?.toFixed()).toBe('118');
    expect(record.terms.Commission?.map(({ FeeName }) => FeeName)).toEqual(['Monthly']);
    expect(record.terms).not.toHaveProperty('Insurance');
    expect(record.commissions.map(({ periodicityType }) => periodicityType)).toEqual([
      'Once',
      'Once',
      'Monthly',
    ]);
    expect(record.insurances).toHaveLength(1);
  });

  it('are rejected by name if the loan cannot be charged with them (E1)', () => {
    expect(messagesOf({ commissions: [commission({ Currency: 'RON' })] })).toEqual([
      'must be a product whose commission Administration is in EUR',
    ]);
    const ofInterest = {
      PeriodicityType: 'Once',
      ValueIsPercent: true,
      PercentAppliedTo: 'Interest',
      ...price(null, 1),
    };
    expect(messagesOf({ commissions: [commission(ofInterest)] })).toEqual([
      'must be a product whose commission Administration is a percentage of the financed amount, because it is paid at the start',
    ]);
  });
});

describe('the insurances of a simulation', () => {
  it('are Active, in the instalments, and mandatory for applicant or debtor', () => {
    expect(withInsurance({}).firstInsurance).toBe(300);
    const ofDebtor = { IsMandatoryForApplicant: false, IsMandatoryForDebtor: true };
    expect(withInsurance(ofDebtor).firstInsurance).toBe(300);
    expect(withInsurance({ IsMandatoryForApplicant: false }).insurances).toEqual([]);
    expect(withInsurance({ Status: 'Closed' }).insurances).toEqual([]);
    expect(withInsurance({ IncludedIntoRepaymentScheduleInstallment: false }).insurances).toEqual([]);
  });

  it('can be percentages of the financed amount or of another base (F2)', () => {
    const Values = [{ Value: 0.5, Status: 'Active' as const, ValidFrom: null, ValidTo: null }];
    expect(withInsurance({ ValueIsPercentage: true, Values }).firstInsurance).toBe(500);
    const ofBalance = { ValueIsPercentage: true, Values, PercentAppliedTo: 'RemainingValue' };
    expect(withInsurance(ofBalance).rows[4]?.insurance).toBe(127);
  });

  it('belong to items that are valid on the day and pass all filters, each once (L2, L3)', () => {
    const item = insuranceItem('COVER', { Filters: [{ Name: 'Age', From: null, To: 60 }] });
    const Filters = [{ Name: 'Smoker', Values: [0] }];
    const offering = {
      insurances: [insurance({ Filters })],
      product: { Insurances: [item, { ...item, Id: guid(31), Filters: [] }] },
    };
    const premiumWith = (name: string, value: number, product: object = offering.product) =>
      recordOf({ ...offering, product }, { jsonInsuranceFilter: [{ name, value }] }).firstInsurance;
    expect(premiumWith('age', 20)).toBe(300);
    expect(premiumWith('Age', 61)).toBe(300);
    expect(premiumWith('Age', 61, { Insurances: [item] })).toBe(0);
    expect(premiumWith('Smoker', 1)).toBe(0);
    expect(premiumWith('Smoker', 0, { Insurances: [{ ...item, EndDate: '2024-12-31' }] })).toBe(0);
    const unknown = { jsonInsuranceFilter: [{ name: 'Height', value: 1 }] };
    expect(warningsOf(offering, unknown)).toEqual(['unknown-filter jsonInsuranceFilter[0].name']);
  });
});

describe('a faulty charge', () => {
  it('is reported once for all offers (E3)', () => {
    const interests = [1, 2, 3].map((number) => interest({ Id: guid(700 + number), Name: `Rate ${number}` }));
    const offering = { interests, insurances: [insurance({ Currency: 'RON' })] };
    expect(messagesOf(offering, { interestTypeName: 'Fixed' })).toEqual([
      'must be a product whose insurance Life is in EUR',
    ]);
  });
});

describe('the id of a currency', () => {
  it('ends with the letters of its code, case-insensitively', () => {
    expect(currencyId('ron')).toBe('2e9b7d10-4c86-4f35-a1d0-000000524f4e');
    expect(currencyId('RON')).toBe(currencyId(' ron '));
    expect(currencyId('EUR')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
