/** Approving and closing single versions. */

import { assertNever } from '../../shared/platform/errors.ts';
import type { CatalogueRecord, RecordKind } from '../../shared/product/catalogue/catalogue-record.ts';

/** What `approve` and `close` make of a record; undefined: records of its kind have no status. */
export function withStatus(
  entry: CatalogueRecord,
  command: 'approve' | 'close',
): CatalogueRecord | undefined {
  const isApproval = command === 'approve';
  switch (entry.kind) {
    case 'product':
      return { ...entry, record: { ...entry.record, Status: isApproval ? 'Approved' : 'Closed' } };
    case 'interest-list':
    case 'commission-list':
    case 'insurance-list':
    case 'discount-list':
    case 'schedule-type': {
      const record = { ...entry.record, Status: isApproval ? 'Active' : 'Closed' };
      // The compiler does not see that a kind keeps its own record when the status changes.
      return { ...entry, record } as CatalogueRecord;
    }
    case 'custom-list':
    case 'periodicity':
    case 'calendar':
      return undefined;
    default:
      return assertNever(entry);
  }
}

/** Kinds that have a status. */
export const KINDS_WITH_STATUS: readonly RecordKind[] = [
  'product',
  'interest-list',
  'commission-list',
  'insurance-list',
  'discount-list',
  'schedule-type',
];
