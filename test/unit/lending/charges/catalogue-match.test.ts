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

/** What a catalogue with one list knows. */
function directory(...charges: readonly KnownCharge[]): ChargeDirectory {
  const all = new ChargeDirectory();
  all.replace('list', charges);
  return all;
}

const SHARE = known({ FeeName: 'share', FeeId: 'id-1' }, { appliedTo: 'RemainingValue', perAnnum: true });
/** What is reported where SHARE completes a percentage. */
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

/** Whether a commission of the catalogue is due upfront with a schedule type whose column of fees is, or is not. */
function isUpfront(changes: Partial<CommissionItem>, fees: boolean): boolean {
  const upfront = { fees, insurances: false, byFee: new Map(), byInsuranceClass: new Map() };
  const Commission: [CommissionItem] = [fee({ ...ONE_PERCENT, FeeName: 'Share', ...changes })];
  return itemOf({ Commission }, ALL, chargeRules({ upfront })).isUpfront;
}

describe('what the catalogue says of a charge (S6)', () => {
  it('counts where the request does not say it, by name or by id in any case', () => {
    for (const names of [{ FeeName: ' SHARE ' }, { FeeName: undefined, FeeId: 'ID-1' }]) {
      expect(feeItem(names).price).toMatchObject({ base: 'RemainingValue', partOfYear: [1, 12] });
    }
    expect(premiumItem({ InsuranceName: 'Life' })).toMatchObject({
      price: { base: 'RemainingValue', partOfYear: undefined },
    });
  });

  it('is reported where it changes a figure, and only there', () => {
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

  it('gives way to what is sent, also to a sent no', () => {
    const sent = { FeeName: 'Share', PercentAppliedTo: 'Interest', PerAnnum: false, IsUpfront: true };
    expect(feeItem(sent)).toMatchObject({
      price: { base: 'Interest', partOfYear: undefined },
      isUpfront: true,
    });
    const notUnused = { FeeName: 'Unused line', IsForUnusage: false, IsUpfront: false };
    expect(feeItem(notUnused)).toMatchObject({ price: { base: 'FinancedAmount' }, isUpfront: false });
    expect(premiumItem({ InsuranceName: 'Life', IsUpfront: false }).isUpfront).toBe(false);
  });

  it('is nothing for an unknown name, or without a catalogue', () => {
    expect(feeItem({ FeeName: 'Mystery' }).price).toMatchObject({ base: 'FinancedAmount' });
    const Commission: [CommissionItem] = [fee({ ...ONE_PERCENT, FeeName: 'Share' })];
    expect(itemOf({ Commission }).price).toMatchObject({ base: 'FinancedAmount', partOfYear: undefined });
  });

  it('leaves the column of the schedule type to say when a charge is due (F1)', () => {
    expect([isUpfront({}, false), isUpfront({}, true)]).toEqual([false, true]);
    expect([isUpfront({ IsUpfront: true }, false), isUpfront({ IsUpfront: false }, true)]).toEqual([
      true,
      false,
    ]);
  });

  it('does not concern an amount, and is not reported as sent without effect (E5)', () => {
    const line = { SourceValue: decimal(5), FeeName: 'Unused line' };
    expect(feeItem({ ...line, SourcePercent: undefined })).toMatchObject({
      price: { kind: 'value', amount: 500 },
    });
    expect(feeWarnings(line)).toEqual([]);
  });

  it('gives a schedule type the class of an insurance, and the name of a commission (F4)', () => {
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

describe('a commission for unusage by the catalogue (F5)', () => {
  it('is charged on the unused amount, and needs it as if that had been sent', () => {
    const Commission = [fee({ ...ONE_PERCENT, FeeName: 'Unused line' })];
    expect(feeItem({ FeeName: 'Unused line' }).price.kind).toBe('unusage');
    expect(chargeFaults({ Commission }, { knownCharges: ALL })).toEqual(['UnusedAmount missing 400']);
    expect(chargeFaults({ Commission }, {})).toEqual([]);
    expect(chargeWarnings({ Commission, UnusedAmount: decimal(400) }, { knownCharges: ALL })).toEqual([
      'Commission[0].IsForUnusage from-catalogue',
    ]);
  });

  it('needs the unused amount too where only its base is that', () => {
    const knownCharges = directory(known({ FeeName: 'on unused' }, { appliedTo: 'UnusedAmount' }));
    const Commission = [fee({ ...ONE_PERCENT, FeeName: 'On unused' })];
    expect(chargeFaults({ Commission }, { knownCharges })).toEqual(['UnusedAmount missing 400']);
  });
});

/** Shares of several lists: the first is SHARE. */
const charges = (...other: readonly Partial<ChargeDefaults>[]) => {
  const all = directory(SHARE);
  for (const [place, defaults] of other.entries()) {
    all.replace(`other ${place}`, [known({ FeeName: 'share', FeeId: `id-${place}0` }, defaults)]);
  }
  return all;
};

describe('a name that several lists use (S6)', () => {
  it('counts where all of them say the same', () => {
    const same = charges({ appliedTo: 'remainingvalue', perAnnum: true });
    expect(feeItem({ FeeName: 'Share' }, same).price).toMatchObject({ base: 'RemainingValue' });
    expect(feeWarnings({ FeeName: 'Share', ...ONE_PERCENT }, same)).toEqual(ADDED_BY_SHARE);
  });

  it('does not count where they differ, which is reported; the id still finds one', () => {
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

  it('is not reported where the difference cannot matter', () => {
    const other = charges({ appliedTo: 'Interest', perAnnum: true });
    expect(feeWarnings({ FeeName: 'Share' }, other)).toEqual([]);
    const all = { ...ONE_PERCENT, PercentAppliedTo: 'Interest', PerAnnum: true };
    expect(feeWarnings({ FeeName: 'Share', ...all }, other)).toEqual([]);
  });

  it('counts again when the list that differs is gone', () => {
    const other = charges({ appliedTo: 'Interest', perAnnum: true });
    other.replace('other 0', []);
    expect(feeItem({ FeeName: 'Share' }, other).price).toMatchObject({ base: 'RemainingValue' });
    other.replace('list', []);
    expect(other.isEmpty).toBe(true);
    expect(other.uses('FeeName')).toBe(false);
  });
});

describe('name and class of an insurance (F1)', () => {
  it('contradict each other where the catalogue knows both and keeps them apart', () => {
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

  it('are reported where the catalogue does not know them', () => {
    expect(premiumWarnings({ InsuranceName: 'Mystery', InsuranceClassId: 'class-1' })).toEqual([
      'Insurance[0].InsuranceName unknown-name',
    ]);
    expect(premiumWarnings({ InsuranceName: 'Life', InsuranceClassName: 'Animals' })).toEqual([
      'Insurance[0].InsuranceClassName unknown-name',
    ]);
  });

  it('are not checked against a catalogue that has no classes, or an insurance that has none', () => {
    const classless = directory(known({ InsuranceName: 'life' }, { perAnnum: true }));
    const sent = { ...ONE_PERCENT, InsuranceName: 'Life', InsuranceClassId: 'class-2' };
    const added = ['Insurance[0].PerAnnum from-catalogue'];
    expect(premiumWarnings(sent, classless)).toEqual(added);
    const beside = directory(known({ InsuranceName: 'life' }, { perAnnum: true }), HOME);
    expect(premiumWarnings(sent, beside)).toEqual(added);
    expect(premiumItem(sent, beside).price).toMatchObject({ partOfYear: [12, 12] });
  });

  it('find by the class alone what all insurances of the class have in common', () => {
    const byClass = { InsuranceName: undefined, InsuranceClassId: 'class-1' };
    expect(premiumItem(byClass).price).toMatchObject({ base: 'RemainingValue' });
    const differing = directory(LIFE, known({ InsuranceName: 'travel', InsuranceClassId: 'class-1' }));
    expect(premiumItem(byClass, differing).price).toMatchObject({ base: 'FinancedAmount' });
    expect(premiumWarnings({ ...ONE_PERCENT, ...byClass }, differing)).toEqual([
      'Insurance[0].InsuranceClassId ambiguous-name',
    ]);
  });
});

it('a commission and an insurance of one name are two things (F1)', () => {
  expect(feeWarnings({ FeeName: 'Life' })).toEqual(['Commission[0].FeeName unknown-name']);
});
