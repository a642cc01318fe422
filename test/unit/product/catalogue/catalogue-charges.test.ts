import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { CatalogueCharges } from '../../../../shared/product/catalogue/catalogue-charges.ts';
import type { CatalogueView, ListsInForce } from '../../../../shared/product/catalogue/catalogue-view.ts';
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
    for (const [field, value] of [
      ['InsuranceName', 'Life'],
      ['InsuranceClassName', 'Persons'],
      ['InsuranceClassId', guid(390)],
    ] as const) {
      expect(charges?.named(field, value)?.agreement.defaults).toMatchObject({ appliedTo: 'Principal' });
    }
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
    expect(charges?.named('FeeName', 'Unused line')?.agreement.defaults).toMatchObject({
      isForUnusage: true,
      perAnnum: true,
    });
    expect(charges?.uses('InsuranceClassId')).toBe(true);
  });
});

describe('the known charges of a changing catalogue', () => {
  it('are read once after a change, and only from the changed list', () => {
    const source = catalogueOf({ commissions: [commission()], insurances: [insurance()] });
    const reads: string[] = [];
    let hasNoCommissions = false;
    const lists: ListsInForce = {
      list: (kind, code) => {
        reads.push(`${kind}/${code}`);
        return kind === 'commission-list' && hasNoCommissions ? undefined : source.list(kind, code);
      },
    };
    const charges = new CatalogueCharges(lists);
    charges.noteChange('commission-list', 'COM');
    charges.noteChange('insurance-list', 'INS');
    charges.noteChange('commission-list', ' com');
    charges.noteChange('product', 'COM');
    expect(reads).toEqual([]);
    expect(charges.known?.named('FeeName', 'Administration')).toBeDefined();
    expect(charges.known?.named('InsuranceName', 'Life')).toBeDefined();
    expect(reads).toHaveLength(2);
    hasNoCommissions = true;
    charges.noteChange('commission-list', 'COM');
    expect(charges.known?.named('FeeName', 'Administration')).toBeUndefined();
    expect(charges.known?.named('InsuranceName', 'Life')).toBeDefined();
    expect(reads).toHaveLength(3);
  });

  it('are read in turns after a change of many lists, and come into force together', () => {
    const source = catalogueOf({ commissions: [commission()] });
    let base = 'Interest';
    let reads = 0;
    const lists: ListsInForce = {
      list: (kind, code) => {
        reads += 1;
        const list = source.list(kind, 'COM');
        if (list === undefined || !('Commissions' in list)) return list;
        const changed = { PercentAppliedTo: base, Name: `Fee of ${code}` };
        return { ...list, Commissions: list.Commissions.map((one) => ({ ...one, ...changed })) };
      },
    };
    const turns: (() => void)[] = [];
    const charges = new CatalogueCharges(lists, (turn) => turns.push(turn));
    const change = (count: number): void => {
      for (let place = 0; place < count; place += 1) charges.noteChange('commission-list', `list ${place}`);
    };
    const bases = () =>
      ['list 0', 'list 99'].map(
        (code) => charges.known?.named('FeeName', `fee of ${code}`)?.agreement.defaults?.appliedTo,
      );
    change(100);
    // At first nothing else is known.
    expect([bases(), turns.length]).toEqual([['Interest', 'Interest'], 0]);
    base = 'Principal';
    change(100);
    reads = 0;
    expect([bases(), reads]).toEqual([['Interest', 'Interest'], 0]);
    const readsOfTurn = () => {
      reads = 0;
      turns.shift()?.();
      return reads;
    };
    expect([readsOfTurn(), readsOfTurn(), bases()]).toEqual([10, 10, ['Interest', 'Interest']]);
    while (turns.length > 0) readsOfTurn();
    expect(bases()).toEqual(['Principal', 'Principal']);
    base = 'RemainingValue';
    change(1);
    expect(bases()).toEqual(['RemainingValue', 'Principal']);
  });
});
