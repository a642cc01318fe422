import { describe, expect, it } from 'vitest';
import { BUILT_IN_SCHEDULE_TYPE_RECORDS } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { activationMessages, compiledOf } from '../../../support/builders/schedule-type-records.ts';

/** The settings and methods of a built-in type (S4), in one line. */
function lineOf(record: (typeof BUILT_IN_SCHEDULE_TYPE_RECORDS)[number]): string {
  const { type, interest, payment, principal } = compiledOf(record);
  const special = [
    type.installmentValueCustom ? 'fixed payment' : '',
    type.residualRequired ? 'residual required' : '',
    type.residualInInstallment ? 'residual in installment' : '',
    type.maximumInstallments === null ? '' : `at most ${type.maximumInstallments}`,
    type.useExpiryDate ? 'expiry' : '',
    type.interestCapitalization ? 'capitalisation' : '',
    type.acceptsCharges ? '' : 'no charges',
  ].filter((text) => text !== '');
  return [
    `${type.name} ${type.code} [${type.productTypes.join(' ')}] ${type.dayCount}`,
    `${interest.kind} ${payment.kind} ${principal.kind}`,
    special.join(', '),
  ].join(' | ');
}

describe('built-in schedule types (S4)', () => {
  it('have the documented methods and settings', () => {
    expect(BUILT_IN_SCHEDULE_TYPE_RECORDS.map(lineOf)).toEqual([
      'EqualInstallments EI [TL MG C] 30/360 | Linear Level Balance | fixed payment',
      'EqualPrincipal EP [TL MG C] 30/360 | Linear Sum EqualParts | fixed payment',
      'InterestOnly IO [TL MG C] 30/360 | Linear Sum AtMaturity | ',
      'Balloon BL [TL MG C] 30/360 | Linear Level Balance | fixed payment, residual required, residual in installment',
      'EffectiveRate ER [TL MG C] Actual/365 | EffectiveRate Level Balance | fixed payment',
      'Once ON [TL MG] 30/360 | Linear Sum AtMaturity | at most 1',
      'Overdraft OV [OD BA] Actual/365 | Linear Sum AtMaturity | expiry',
      'Deposit DP [D BA] Actual/365 | Linear Sum AtMaturity | capitalisation, no charges',
      'CreditCard CC [CC C] Actual/365 | Linear Sum CapitalPercent | ',
      'Leasing LS [LS] 30/360 | Linear Level Balance | fixed payment',
    ]);
  });

  it('keep their published ids (S7)', () => {
    const ids = BUILT_IN_SCHEDULE_TYPE_RECORDS.map(({ PaymentScheduleTypeId }) => PaymentScheduleTypeId);
    expect(ids).toEqual(
      ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'].map(
        (end) => `5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b1${end}`,
      ),
    );
    const details = BUILT_IN_SCHEDULE_TYPE_RECORDS.flatMap((record) => record.PaymentScheduleTypeDetails);
    expect(new Set(details.map((detail) => detail.PaymentScheduleTypeDetailId)).size).toBe(details.length);
  });

  it.each(BUILT_IN_SCHEDULE_TYPE_RECORDS.map((record) => [record.PaymentScheduleTypeName, record] as const))(
    '%s passes activation, accepts any unit and MaturityDate, and has no formula',
    (_, record) => {
      expect(activationMessages(record)).toEqual([]);
      expect(record.Status).toBe('Active');
      const type = { useMaturityDate: true, measurementUnit: null, rounding: 'HALF_UP' };
      expect(compiledOf(record)).toMatchObject({ type, hasFormulas: false, extras: [] });
    },
  );
});
