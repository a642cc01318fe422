/** Indexes the commissions and insurances of the lists in force, which calculations find by name (F1, S6). */

import {
  ChargeDirectory,
  type KnownCharge,
  type KnownCharges,
  type NameField,
} from '../../lending/schedule-types/known-charges.ts';
import { type CatalogueRecord, codeKey } from './catalogue-record.ts';
import type { ListsInForce } from './catalogue-view.ts';
import type { CommissionRecord, InsuranceRecord } from './list-records.ts';
import { isActive } from './version-in-force.ts';

/** The Active charges of a catalogue. A list is read on the first access, and again when it changes after that. */
export class CatalogueCharges {
  readonly #lists: ListsInForce;
  readonly #directory = new ChargeDirectory();
  readonly #unread = new Map<string, () => readonly KnownCharge[]>();
  #isUsed = false;

  constructor(lists: ListsInForce) {
    this.#lists = lists;
  }

  /** Must be called when a version of a record was added, changed or removed; ignores all but lists of charges. */
  noteChange(kind: CatalogueRecord['kind'], code: string): void {
    if (kind !== 'commission-list' && kind !== 'insurance-list') return;
    const read = (): readonly KnownCharge[] | undefined =>
      kind === 'commission-list'
        ? this.#lists.list(kind, code)?.Commissions.filter(isActive).map(readCommission)
        : this.#lists.list(kind, code)?.Insurances.filter(isActive).map(readInsurance);
    this.#unread.set(`${kind}/${codeKey(code)}`, () => read() ?? []);
    if (this.#isUsed) this.#readChanged();
  }

  /** The current charges; undefined when there are none: every name then counts as known (F1). */
  get known(): KnownCharges | undefined {
    this.#isUsed = true;
    this.#readChanged();
    return this.#directory.isEmpty ? undefined : this.#directory;
  }

  #readChanged(): void {
    for (const [list, read] of this.#unread) this.#directory.replace(list, read());
    this.#unread.clear();
  }
}

export function collectCharges(
  records: readonly CatalogueRecord[],
  lists: ListsInForce,
): KnownCharges | undefined {
  const charges = new CatalogueCharges(lists);
  for (const { kind, record } of records) if ('Code' in record) charges.noteChange(kind, record.Code);
  return charges.known;
}

function readCommission(record: CommissionRecord): KnownCharge {
  return knownCharge({ FeeName: record.Name, FeeId: record.Id }, record, record.IsForUnusage);
}

function readInsurance(record: InsuranceRecord): KnownCharge {
  const { InsuranceName, Class: InsuranceClassName, ClassId: InsuranceClassId } = record;
  return knownCharge({ InsuranceName, InsuranceClassName, InsuranceClassId }, record, false);
}

function knownCharge(
  names: Partial<Record<NameField, string | null>>,
  { PercentAppliedTo, PerAnnum }: CommissionRecord | InsuranceRecord,
  isForUnusage: boolean,
): KnownCharge {
  const keys = Object.entries(names).map(([field, name]) => [field, codeKey(name ?? '')] as const);
  return {
    names: Object.fromEntries(keys.filter(([, key]) => key !== '')),
    defaults: { appliedTo: PercentAppliedTo ?? undefined, perAnnum: PerAnnum, isForUnusage },
  };
}
