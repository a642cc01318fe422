import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import type { CatalogueView } from '../../../../shared/product/catalogue/catalogue-view.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { fee } from '../../../support/builders/lending-charges.ts';
import { column, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';
import { catalogueOf, commission, guid, insurance } from '../../../support/worlds/simulated-product.ts';

const chargesOf = (catalogue: CatalogueView) => catalogue.lending.knownCharges;

describe('the known charges of a catalogue (F1, S6)', () => {
  it('are the Active items of its lists, with their settings', () => {
    const charges = chargesOf(
      catalogueOf({
        commissions: [
          commission({ PercentAppliedTo: 'Interest', PerAnnum: true, IsForUnusage: true, IsUpfront: false }),
          commission({ Id: guid(201), Name: 'Draft', Status: 'Draft' }),
        ],
        insurances: [
          insurance({ PercentAppliedTo: 'Principal' }),
          insurance({ Id: guid(301), InsuranceName: 'Draft', Status: 'Draft' }),
        ],
      }),
    );
    const defaults = { appliedTo: 'Interest', perAnnum: true, isForUnusage: true };
    expect(charges?.named('FeeName', 'ADMINISTRATION')?.agreement.defaults).toEqual(defaults);
    expect(charges?.named('FeeId', guid(200))?.agreement.defaults).toEqual(defaults);
    expect(charges?.named('FeeName', 'Draft')).toBeUndefined();
    expect(charges?.named('InsuranceName', 'Draft')).toBeUndefined();
    const insurances = { InsuranceName: 'Life', InsuranceClassName: 'Persons', InsuranceClassId: guid(390) };
    for (const [field, value] of Object.entries(insurances) as [keyof typeof insurances, string][])
      expect(charges?.named(field, value)?.agreement.defaults).toMatchObject({ appliedTo: 'Principal' });
  });

  it('do not determine when a charge is due, which the schedule type or the request does (F1)', () => {
    const catalogue = catalogueOf({ commissions: [commission({ IsUpfront: true })] }).lending;
    const fees = (IsUpfront?: boolean) => {
      const quarterly = fee({ FeeName: 'Administration', FeePeriodicityType: 'Quarterly', IsUpfront });
      const outcome = calculateRepaymentSchedule(loan({ Commission: [quarterly] }), {
        requestDay: REQUEST_DAY,
        catalogue,
      });
      if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
      return column(outcome, 'managementFee');
    };
    expect(fees()).toEqual(['0.00', '0.00', '5.00', '0.00']);
    expect(fees(true)).toEqual(['5.00', '0.00', '0.00', '5.00']);
  });

  it('are undefined if there are no commissions and insurances, so that no name is unknown', () => {
    expect(chargesOf(catalogueOf())).toBeUndefined();
    expect(chargesOf(catalogueOf({ commissions: [commission({ Status: 'Closed' })] }))).toBeUndefined();
  });

  it('include those of the example catalogue', () => {
    const charges = chargesOf(EXAMPLE_CATALOGUE);
    const defaults = { isForUnusage: true, perAnnum: true };
    expect(charges?.named('FeeName', 'Unused line')?.agreement.defaults).toMatchObject(defaults);
    expect(charges?.uses('InsuranceClassId')).toBe(true);
  });
});
