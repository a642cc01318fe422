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

type NextTurn = (callback: () => void) => void;

/** Reading a list takes some tenths of a millisecond. A request reads at most this many changed lists. */
const MAX_LISTS_ON_ACCESS = 20;
const LISTS_PER_TURN = 10;

/**
 * The Active charges of a catalogue; only lists that changed since the last access are read again. After a change of many
 * lists they are read in turns of the event loop, and the former charges stay in force until all have been read.
 */
export class CatalogueCharges {
  readonly #lists: ListsInForce;
  readonly #nextTurn: NextTurn | undefined;
  readonly #directory = new ChargeDirectory();
  readonly #unread = new Map<string, () => readonly KnownCharge[]>();
  /** Charges of changed lists that are not in force yet. */
  readonly #read = new Map<string, readonly KnownCharge[]>();
  #isUsed = false;
  #isReading = false;

  /** Without `nextTurn` all changed lists are read on access. */
  constructor(lists: ListsInForce, nextTurn?: NextTurn) {
    this.#lists = lists;
    this.#nextTurn = nextTurn;
  }

  /** Must be called when a version of a record was added, changed or removed; ignores all but lists of charges. */
  noteChange(kind: CatalogueRecord['kind'], code: string): void {
    if (kind !== 'commission-list' && kind !== 'insurance-list') return;
    const read = (): readonly KnownCharge[] | undefined =>
      kind === 'commission-list'
        ? this.#lists.list(kind, code)?.Commissions.filter(isActive).map(readCommission)
        : this.#lists.list(kind, code)?.Insurances.filter(isActive).map(readInsurance);
    this.#unread.set(`${kind}/${codeKey(code)}`, () => read() ?? []);
    if (this.#isUsed && !this.#isReading) this.#continue();
  }

  /** The current charges; undefined when there are none: every name then counts as known (F1). */
  get known(): KnownCharges | undefined {
    const isInTurns = this.#isReading && this.#unread.size > MAX_LISTS_ON_ACCESS;
    if (!isInTurns) this.#readLists(this.#unread.size);
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

  /** Reads `count` of the changed lists. When none is left, all of them come into force. */
  #readLists(count: number): void {
    if (this.#unread.size === 0 && this.#read.size === 0) return;
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

function readCommission(commission: CommissionRecord): KnownCharge {
  return {
    names: normaliseNames({ FeeName: commission.Name, FeeId: commission.Id }),
    defaults: {
      appliedTo: commission.PercentAppliedTo ?? undefined,
      perAnnum: commission.PerAnnum,
      isForUnusage: commission.IsForUnusage,
    },
  };
}

function readInsurance(insurance: InsuranceRecord): KnownCharge {
  return {
    names: normaliseNames({
      InsuranceName: insurance.InsuranceName,
      InsuranceClassName: insurance.Class,
      InsuranceClassId: insurance.ClassId,
    }),
    defaults: {
      appliedTo: insurance.PercentAppliedTo ?? undefined,
      perAnnum: insurance.PerAnnum,
      isForUnusage: false,
    },
  };
}

function normaliseNames(names: Partial<Record<NameField, string | null>>): KnownCharge['names'] {
  const entries = Object.entries(names).flatMap(([field, name]) => {
    const key = codeKey(name ?? '');
    return key === '' ? [] : [[field, key] as const];
  });
  return Object.fromEntries(entries);
}
