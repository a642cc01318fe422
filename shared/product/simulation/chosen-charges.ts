/** Reads which optional charges a request chooses, and says what the cost of an offer leaves out (Q8). */

import type { Validation } from '../../lending/request/validation.ts';
import type { ListsInForce } from '../catalogue/catalogue-view.ts';
import type { InsuranceRecord } from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { readCharge, type CatalogueCharge } from './charge-prices.ts';
import {
  comesWithContract,
  isChoosable,
  isUncounted,
  type ChargeRecord,
  type ChargeSelection,
} from './charge-selection.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';
import { findNamed } from './named-choice.ts';
import type { Offer } from './offered-rates.ts';
import type { NamedChoice, SimulateRequest } from './simulation.ts';

interface OfferedCharges {
  readonly offers: readonly Offer[];
  /** Insurances of the product whose filters pass. */
  readonly insurances: ReadonlyMap<InsuranceRecord, unknown>;
  readonly catalogue: ListsInForce;
}

export interface ChosenCharges {
  /** The charges of all offers, each once, whether selected or not. */
  readonly listed: readonly ChargeRecord[];
  readonly selection: ChargeSelection;
  readonly named: readonly { readonly path: string; readonly records: readonly ChargeRecord[] }[];
}

/** Lists no charges if nothing depends on them. Adds a fault for a choice that is not offered; a charge that comes with every contract can be named too. */
export function chooseCharges(
  request: SimulateRequest,
  { offers, insurances, catalogue }: OfferedCharges,
  validation: Validation,
): ChosenCharges {
  const { OptionalCommissions = [], OptionalInsurances = [] } = request;
  const isOffer = request.Offer === true;
  if (!isOffer && OptionalCommissions.length + OptionalInsurances.length === 0) {
    return { listed: [], selection: { chosen: new Map(), isOffer }, named: [] };
  }
  const covered = [...insurances.keys()];
  const lists = new Set(offers.map(({ item }) => catalogue.list('commission-list', item.CommissionList)));
  const commissions = [...lists].flatMap((list) => list?.Commissions ?? []);
  const choose = <IdField extends string>(
    [field, what, idField]: readonly [field: string, what: string, idField: IdField],
    sent: readonly NamedChoice<IdField>[],
    from: readonly ChargeRecord[],
  ) => {
    const offered = from.filter(isChoosable).map((record) => ({ ...readCharge(record), id: record.Id }));
    return sent.map((choice, index) => {
      const path = `${field}[${index}]`;
      return { path, records: findNamed(path, choice, { what, idField, offered }, validation) };
    });
  };
  const named = [
    // Without an offer, whose fault is reported, no commission is known.
    ...(offers.length === 0
      ? []
      : choose(['OptionalCommissions', 'commission', 'FeeId'], OptionalCommissions, commissions)),
    ...choose(['OptionalInsurances', 'insurance', 'InsuranceId'], OptionalInsurances, covered),
  ];
  const chosen = new Map(named.flatMap(({ path, records }) => records.map((record) => [record, path])));
  return { listed: [...commissions, ...covered], selection: { chosen, isOffer }, named };
}

interface SimulatedCharges {
  readonly priced: readonly CatalogueCharge[];
  readonly product: ProductRecord;
  readonly loan: SimulatedLoan;
}

/**
 * Warns of choices that add no charge: those that come with every contract, or have no price on the day (E5). With an
 * offer also of what its cost leaves out: tranches, because the credit counts as drawn in full, and charges, among them those
 * outside the APRC beside formulas, whose part that follows from them it still counts (Q8).
 */
export function warnOfCharges(
  { named, listed, selection }: ChosenCharges,
  { priced, product, loan }: SimulatedCharges,
  validation: Validation,
): void {
  const charged = new Set(priced.map(({ record }) => record));
  for (const { path, records } of named) {
    if (records.every((record) => comesWithContract(record) || !charged.has(record))) validation.warn(path);
  }
  if (!selection.isOffer) return;
  if (product.DisbursementMatrix.length > 0) validation.warn('DisbursementMatrix', 'not-counted');
  const apart = new Set(
    loan.hasChargeFormulas ? priced.filter(({ place }) => !place.inAprc).map(({ record }) => record) : [],
  );
  for (const charge of listed.filter((record) => apart.has(record) || isUncounted(record, loan.start))) {
    const { dimension, name } = readCharge(charge);
    validation.warn(`${dimension}.${name}`, 'not-counted');
  }
}
