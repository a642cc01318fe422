import { describe, expect, it } from 'vitest';
import {
  ChargeDirectory,
  type ChargeDefaults,
  type KnownCharge,
  type NameField,
} from '../../../../shared/lending/schedule-types/known-charges.ts';
import type {
  CommissionItem,
  InsuranceItem,
} from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { parseChargeTerms } from '../../../../shared/lending/charges/charge-terms.ts';
import {
  chargeContext,
  chargeFaults,
  chargeRules,
  chargeWarnings,
  fee,
  premium,
} from '../../../support/builders/lending-charges.ts';
import { decimal, loan } from '../../../support/builders/lending-loan.ts';

const ONE_PERCENT = { SourcePercent: decimal(1) };

function known(
  names: Partial<Record<NameField, string>>,
  defaults: Partial<ChargeDefaults> = {},
): KnownCharge {
  const plain = { appliedTo: undefined, perAnnum: false, isForUnusage: false };
  return { names, defaults: { ...plain, ...defaults } };
}

/** A catalogue with one list of charges. */
function directory(...charges: readonly KnownCharge[]): ChargeDirectory {
  const all = new ChargeDirectory();
  all.replace('list', charges);
  return all;
}

const SHARE = known({ FeeName: 'share', FeeId: 'id-1' }, { appliedTo: 'RemainingValue', perAnnum: true });
/** Warnings about a percentage that SHARE completes. */
const ADDED_BY_SHARE = [
  'Commission[0].PercentAppliedTo from-catalogue',
  'Commission[0].PerAnnum from-catalogue',
];
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

/** Whether a commission of the catalogue is upfront with a schedule type whose fees are upfront or not. */
function isUpfront(changes: Partial<CommissionItem>, fees: boolean): boolean {
  const upfront = { fees, insurances: false, byFee: new Map(), byInsuranceClass: new Map() };
  const Commission: [CommissionItem] = [fee({ ...ONE_PERCENT, FeeName: 'Share', ...changes })];
  return itemOf({ Commission }, ALL, chargeRules({ upfront })).isUpfront;
}

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

  it('do not determine when a charge is due, which the schedule type defines (F1)', () => {
    expect([isUpfront({}, false), isUpfront({}, true)]).toEqual([false, true]);
    expect([isUpfront({ IsUpfront: true }, false), isUpfront({ IsUpfront: false }, true)]).toEqual([
      true,
      false,
    ]);
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
    expect(feeItem({ FeeName: 'Share' }, other).price).toMatchObject({
      base: 'FinancedAmount',
      partOfYear: undefined,
    });
    expect(feeWarnings({ FeeName: 'Share', ...ONE_PERCENT }, other)).toEqual([
      'Commission[0].FeeName ambiguous-name',
    ]);
    expect(feeItem({ FeeName: 'Share', FeeId: 'id-00' }, other).price).toMatchObject({ base: 'Interest' });
    expect(feeItem({ FeeName: undefined, FeeId: 'id-1' }, other).price).toMatchObject({
      base: 'RemainingValue',
    });
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
