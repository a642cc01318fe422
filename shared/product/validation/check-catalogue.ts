/**
 * Validates a catalogue as a whole and reports all faults together: ambiguous records, overlapping versions, dangling
 * references, inverted bounds. Only Approved products and Active lists are checked; drafts may be incomplete.
 */

import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import { type CatalogueRecord, codeKey, type RecordKind } from '../catalogue/catalogue-record.ts';
import { selectEntries, indexLists } from '../catalogue/catalogue-view.ts';
import { findOverlaps } from '../catalogue/valid-versions.ts';
import { checkCommission, checkInsurance } from './check-charge-lists.ts';
import {
  type CheckContext,
  checkItems,
  type RecordContext,
  describeRecord,
  createReporter,
} from './check-context.ts';
import { collectChargeNames, checkDiscounts } from './check-discounts.ts';
import { checkIdentities } from './check-identities.ts';
import { checkInterests } from './check-interests.ts';
import { checkNames } from './check-parts.ts';
import { checkProduct } from './check-product.ts';

/** Finds all faults of these records, in catalogue order; each names record, field and what to do. */
export function checkCatalogue(
  records: readonly CatalogueRecord[],
  context: CheckContext,
): readonly CatalogueFault[] {
  const faults: CatalogueFault[] = [];
  checkIdentities(records, faults);
  checkVersions(records, faults);
  const lists = indexLists(records);
  const productCodes = new Set(selectEntries(records, 'product').map(({ record }) => codeKey(record.Code)));
  const mayExist = (kind: RecordKind): boolean => context.unknown?.has(kind) === true;
  const recordContext: RecordContext = {
    ...context,
    hasProduct: (code) => productCodes.has(codeKey(code)) || mayExist('product'),
    hasList: (kind, code) => lists.list(kind, code) !== undefined || mayExist(kind),
    charges: collectChargeNames(records, mayExist),
  };
  for (const entry of records) checkRecord(entry, recordContext, faults);
  return faults;
}

/** At most one Approved version of a product may be valid on any day (L1). */
function checkVersions(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const products = records.filter((entry) => entry.kind === 'product');
  for (const entries of Map.groupBy(products, ({ record }) => codeKey(record.Code)).values()) {
    const versions = entries.map((entry) => ({ ...entry.record, entry }));
    for (const [one, other] of findOverlaps(versions)) {
      if (one.Version === other.Version) continue;
      const text = `must not share a day with ${describeRecord(one.entry)} in ${one.entry.source}`;
      createReporter(other.entry, faults)(
        'StartDate',
        `${text}: only one version may be Approved on a day, so end one before the other starts`,
      );
    }
  }
}

function checkRecord(entry: CatalogueRecord, context: RecordContext, faults: CatalogueFault[]): void {
  const report = createReporter(entry, faults);
  if (entry.kind === 'product' && entry.record.Status === 'Approved') {
    checkProduct(entry.record, context, report);
  }
  if (!('Status' in entry.record) || entry.record.Status !== 'Active') return;
  if (entry.kind === 'interest-list') checkInterests(entry.record, report);
  if (entry.kind === 'discount-list') checkDiscounts(entry.record, context, report);
  if (entry.kind === 'commission-list') {
    checkNames('Commissions', entry.record.Commissions, report);
    checkItems('Commissions', entry.record.Commissions, report, (commission, reportItem) =>
      checkCommission(commission, context, reportItem),
    );
  }
  if (entry.kind === 'insurance-list') {
    checkNames('Insurances', entry.record.Insurances, report);
    checkItems('Insurances', entry.record.Insurances, report, (insurance, reportItem) =>
      checkInsurance(insurance, context, reportItem),
    );
  }
}
