import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf as scheduleType,
} from '../../../support/builders/schedule-type-records.ts';
import {
  catalogueOf,
  commission,
  guid,
  insurance,
  interest,
  messagesOf,
  price,
  recordOf,
  refusalOf,
  simulated,
  simulateRequest,
  warningsOf,
} from '../../../support/worlds/simulated-product.ts';

const decimal = (value: number | string) => new Decimal(value);

describe('the schedule of a simulation', () => {
  it('has the same calendar in all offers, although the catalogue changes meanwhile', () => {
    const offering = {
      interests: [interest(), interest({ Id: guid(101), Code: 'OTHER', Name: 'Other rate' })],
      general: { HolidayShiftForRepaymentInstallments: true },
      product: { CountryCalendars: ['Bank'] },
    };
    const names = ['RO', 'US'];
    const calendars = { find: () => findCalendar(names.shift() ?? '', {}) };
    const context = { catalogue: catalogueOf(offering), calendars, requestDay: date('2025-04-04') };
    const outcome = simulate(simulateRequest({ interestTypeName: 'Fixed' }), context);
    expect(outcome).toMatchObject({ records: [{}, {}] });
    expect(names).toEqual(['US']);
  });

  it('rejects a down payment that equals the whole amount (Q1)', () => {
    expect(refusalOf({}, { downPayment: decimal(1000) })).toEqual(['downPayment out-of-range 422']);
    expect(refusalOf({}, { downPayment: decimal(-1) })).toEqual(['downPayment out-of-range 422']);
  });

  it('shifts due dates by the calendars and settings of the product (Q2, H1, H3)', () => {
    const shift = { HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: 'Backward' };
    const offering = {
      general: { ...shift, DeferDueDate: true },
      product: { CountryCalendars: ['RO', 'TARGET'] },
    };
    expect(recordOf(offering).terms).toMatchObject({
      HolidayShift: true,
      HolidayCountry: 'RO+TARGET',
      HolidayMethod: 'Backward',
      DeferDueDate: true,
    });
    expect(recordOf(offering).rows.map((row) => row.interest)).not.toEqual(
      recordOf().rows.map((row) => row.interest),
    );
    expect(recordOf().terms).not.toHaveProperty('HolidayShift');
  });

  it('accepts schedule types of the product only, by name or code, case-insensitively (Q2)', () => {
    expect(recordOf({}, { scheduleType: ' equalprincipal ' }).rows[1]).toMatchObject({ principal: 25_000 });
    expect(refusalOf({}, { scheduleType: 'InterestOnly' })).toEqual([
      'scheduleType unknown-schedule-type 422',
    ]);
    expect(messagesOf({}, { scheduleType: 'Nothing' })).toEqual([
      'must be a schedule type of the product: EqualInstallments, EqualPrincipal',
    ]);
  });

  it('repays a loan with the periodicity Once at the end of its term, counted in PeriodType (Q6)', () => {
    const offering = {
      general: { PeriodicityType: 'Once' },
      product: { PaymentScheduleTypes: ['Once'] },
      availability: { MaximumPeriod: 6 },
    };
    const { rows, irr } = recordOf(offering, { scheduleType: 'Once', loanPeriod: 6 });
    expect(rows.map(({ InstallmentNo, interest: due }) => [InstallmentNo, due])).toEqual([
      [0, 0],
      [1, 6000],
    ]);
    expect(irr).toBeNull();
    expect(refusalOf(offering, { scheduleType: 'Once', loanPeriod: 7 })).toEqual([
      'loanPeriod out-of-range 422',
    ]);
    expect(messagesOf(offering, { scheduleType: 'Once', loanPeriod: 0 })).toEqual([
      'must be a whole number of months, from 1 to 1200',
    ]);
  });

  it('fixes the requested payment or principal (B2)', () => {
    expect(recordOf({}, { installmentValue: decimal(300) }).rows.map((row) => row.pmt)).toEqual([
      0, 30_000, 30_000, 30_000, 12_248,
    ]);
    const principal = { scheduleType: 'EqualPrincipal', principalValue: decimal(200) };
    expect(recordOf({}, principal).rows[1]).toMatchObject({ principal: 20_000 });
    expect(refusalOf({}, { principalValue: decimal(200) })).toEqual(['principalValue not-allowed 422']);
  });
});

describe('the figures of a simulation record', () => {
  const offering = {
    commissions: [commission()],
    insurances: [insurance()],
  };

  it('include those of row 1, and the column sums including row 0 (Q4)', () => {
    const record = recordOf(offering, { downPayment: decimal(100) });
    const [, first] = record.rows;
    expect(first).toMatchObject({ managementFee: 1000, insurance: 300 });
    expect(record).toMatchObject({
      firstInstallment: first?.totalInstallment,
      firstFee: 1000,
      totalFee: 4000,
      firstInsurance: 300,
      totalInsurance: 1200,
      total: record.rows.reduce((sum, row) => sum + row.totalInstallment, 0),
    });
    expect(record.total).toBe(10_000 + 92_260 + 4000 + 1200);
  });

  it('include the rate with four decimals, and an IRR with fees but without insurances (Q4, A3)', () => {
    expect(recordOf()).toMatchObject({ interestPercent: '12.0000%', irr: '12.0026%' });
    const withInsurance = recordOf({ insurances: [insurance()] });
    expect(withInsurance.irr).toBe('12.0026%');
    const withFee = recordOf({ commissions: [commission()] });
    expect(Number.parseFloat(withFee.irr ?? '')).toBeGreaterThan(16);
  });

  it.each(['EqualInstallments', 'Balloon'])(
    'include the residual of %s in the last period of the IRR: its row is due on the same day (A3, B1)',
    (name) => {
      const product = { PaymentScheduleTypes: [name], ResidualPercent: 50 };
      expect(recordOf({ product }, { scheduleType: name }).irr).toBe('11.9992%');
    },
  );

  it('exclude fees that are paid at the start from all sums (Q4, Q6)', () => {
    const once = commission({ PeriodicityType: 'Once', ...price(100) });
    expect(recordOf({ commissions: [once] })).toMatchObject({ firstFee: 0, totalFee: 0, irr: '12.0026%' });
  });
});

describe('AdvanceAmount in formulas of a schedule type', () => {
  const [remaining, interestColumn] = LEVEL_COLUMNS;
  const record = scheduleType(
    [remaining, interestColumn, formulaColumn('Principal', 'AdvanceAmount / 2')].filter(
      (column) => column !== undefined,
    ),
  );
  const own = {
    product: { PaymentScheduleTypes: ['Own type', 'EqualInstallments'] },
    lending: { scheduleTypes: [{ source: 'test', record }] },
  };
  const sent = { scheduleType: 'Own type', downPayment: decimal(100) };

  it('is the down payment, without a warning (Q1, S2)', () => {
    expect(recordOf(own, sent).rows[1]).toMatchObject({ remainingValue: 90_000, principal: 5000 });
    expect(recordOf(own, { scheduleType: 'Own type' }).rows[1]).toMatchObject({ principal: 0 });
    expect(warningsOf(own, sent)).toEqual([]);
  });

  it('is omitted for schedule types that do not read it (E5)', () => {
    const level = { ...sent, scheduleType: 'EqualInstallments' };
    expect(warningsOf(own, level)).toEqual([]);
    expect(recordOf(own, level).terms.AdvanceAmount).toBeUndefined();
  });
});

describe('a product that cannot be simulated', () => {
  it('is unknown without an Approved version that is valid on the day (L1)', () => {
    expect(simulated({}, { productCode: 'NO' })).toMatchObject({ kind: 'refused', unknownProduct: true });
    expect(simulated({ product: { Status: 'Draft' } })).toMatchObject({ unknownProduct: true });
    expect(simulated({ product: { EndDate: '2024-12-31' } })).toMatchObject({ unknownProduct: true });
    expect(simulated({ product: { EndDate: '2025-01-01' } }, { productCode: 'pl' }).kind).toBe('simulation');
  });

  it('is rejected with all faults together (E3)', () => {
    const bounds = { MinimumAmount: 2000, MaximumPeriod: 3, MinimumAdvance: 10 };
    expect(
      refusalOf(
        { availability: bounds },
        { scheduleType: 'X', interestTypeName: 'Y', discount: [{ Name: 'Z' }] },
      ),
    ).toEqual([
      'amount out-of-range 422',
      'downPayment out-of-range 422',
      'scheduleType unknown-schedule-type 422',
      'loanPeriod out-of-range 422',
      'interestTypeName unknown-value 422',
      'discount[0].Name unknown-value 422',
    ]);
  });

  it('is rejected with an unknown periodicity', () => {
    const offering = { general: { PeriodicityType: 'Never' } };
    expect(refusalOf(offering)).toEqual(['productCode unknown-periodicity 422']);
    expect(messagesOf(offering)).toEqual(['must be a product whose periodicity is known, not Never']);
  });
});
