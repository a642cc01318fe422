/** Indexes the charges of the lists in force, so that calculations find them by name, id or class (F1, S6). */

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

/** While turns read lists, an access reads the rest if at most this many are left, at tenths of a millisecond each. */
const MAX_LISTS_ON_ACCESS = 20;
const LISTS_PER_TURN = 10;

/**
 * The Active charges of a catalogue. The first access reads all lists. After that, turns of the event loop read lists
 * that have changed. Until all of these have been read, the former charges stay in force.
 */
export class CatalogueCharges {
  readonly #lists: ListsInForce;
  readonly #nextTurn: ((turn: () => void) => void) | undefined;
  readonly #directory = new ChargeDirectory();
  readonly #unread = new Map<string, () => readonly KnownCharge[]>();
  /** Charges of the lists read so far, which come into force together with those of the unread ones. */
  readonly #read = new Map<string, readonly KnownCharge[]>();
  #isUsed = false;
  #isReading = false;

  /** Without `nextTurn` an access reads all changed lists. */
  constructor(lists: ListsInForce, nextTurn?: (turn: () => void) => void) {
    this.#lists = lists;
    this.#nextTurn = nextTurn;
  }

  /** Must be called after a version of a list of charges was added, changed or removed. Ignores other records. */
  noteChange(kind: CatalogueRecord['kind'], code: string): void {
    if (kind !== 'commission-list' && kind !== 'insurance-list') return;
    const read = (): readonly KnownCharge[] | undefined =>
      kind === 'commission-list'
        ? this.#lists.list(kind, code)?.Commissions.filter(isActive).map(readCommission)
        : this.#lists.list(kind, code)?.Insurances.filter(isActive).map(readInsurance);
    this.#unread.set(`${kind}/${codeKey(code)}`, () => read() ?? []);
    if (this.#isUsed && !this.#isReading) this.#continue();
  }

  /** Undefined if the catalogue has no charges: then every name counts as known (F1). */
  get known(): KnownCharges | undefined {
    if (!this.#isReading || this.#unread.size <= MAX_LISTS_ON_ACCESS) this.#readLists(this.#unread.size);
    this.#isUsed = true;
    return this.#directory.isEmpty ? undefined : this.#directory;
  }

  #continue(): void {
    this.#isReading = this.#nextTurn !== undefined;
    this.#nextTurn?.(() => {
      this.#readLists(LISTS_PER_TURN);
      if (this.#unread.size > 0) this.#continue();
      else this.#isReading = false;
    });
  }

  /** Reads at most `count` changed lists. Once none is left unread, all of their charges come into force. */
  #readLists(count: number): void {
    let left = count;
    for (const [list, read] of this.#unread) {
      if (left === 0) return;
      left -= 1;
      this.#unread.delete(list);
      this.#read.set(list, read());
    }
    for (const [list, charges] of this.#read) this.#directory.replace(list, charges);
    this.#read.clear();
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
