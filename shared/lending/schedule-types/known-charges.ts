/** The commissions and insurances of a catalogue with their defaults (F1, S6). */

export interface ChargeDefaults {
  /** The base of a percentage (F2); undefined for the financed amount. */
  readonly appliedTo: string | undefined;
  /** True if a percentage is an annual rate (F2). */
  readonly perAnnum: boolean;
  /** True if a percentage is charged on the unused amount (F5). */
  readonly isForUnusage: boolean;
}

export type NameField = 'FeeName' | 'FeeId' | 'InsuranceName' | 'InsuranceClassName' | 'InsuranceClassId';

export interface KnownCharge {
  /** The value of each identifying field, in lower case; absent if the catalogue has none. */
  readonly names: Readonly<Partial<Record<NameField, string>>>;
  readonly defaults: ChargeDefaults;
}

/** What the charges with one name have in common. */
export interface Agreement {
  /** The defaults of the charges; undefined if the charges differ in them. */
  readonly defaults: ChargeDefaults | undefined;
  /** All distinct defaults; a single one if the charges agree. */
  readonly distinct: readonly ChargeDefaults[];
  readonly names: KnownCharge['names'];
}

export type ChargeLists = ReadonlyMap<string, readonly KnownCharge[]>;

/** `charges` must not be empty. */
export function findAgreement(charges: Iterable<KnownCharge>): Agreement {
  const distinct = new Map<string, ChargeDefaults>();
  let names: Partial<Record<NameField, string>> | undefined;
  for (const charge of charges) {
    distinct.set(normalizeDefaults(charge.defaults), charge.defaults);
    names ??= { ...charge.names };
    for (const field of Object.keys(names) as NameField[]) {
      if (names[field] !== charge.names[field]) delete names[field];
    }
  }
  const [first] = distinct.values();
  const defaults = distinct.size === 1 ? first : undefined;
  return { defaults, distinct: [...distinct.values()], names: names ?? {} };
}

/** A text that is equal for defaults that lead to the same figures. */
function normalizeDefaults({ appliedTo, perAnnum, isForUnusage }: ChargeDefaults): string {
  const base = appliedTo?.trim().toLowerCase() ?? 'financedamount';
  return [base, perAnnum, isForUnusage].join(' ');
}

export type KnownCharges = Pick<ChargeDirectory, 'uses' | 'named' | 'lists'>;

/** The charges of many lists; each list can be replaced independently. */
export class ChargeDirectory {
  readonly #byList = new Map<string, readonly KnownCharge[]>();
  /** A copy of `#byList`, made at the first use after a change, as is `#byName`, an index by field and name. */
  #lists: ChargeLists | undefined;
  #byName: ReadonlyMap<string, ReadonlyMap<string, NamedCharges>> | undefined;

  get isEmpty(): boolean {
    return this.#index().size === 0;
  }

  /** Removes the list if `charges` is empty. */
  replace(list: string, charges: readonly KnownCharge[]): void {
    this.#lists = undefined;
    this.#byName = undefined;
    this.#byList.delete(list);
    if (charges.length > 0) this.#byList.set(list, charges);
  }

  /** True if any charge of the catalogue has a value for that field. */
  uses(field: NameField): boolean {
    return this.#index().has(field);
  }

  /** The charges with this value of a field, ignoring case; undefined if there are none. */
  named(field: NameField, value: string): NamedCharges | undefined {
    return this.#index().get(field)?.get(value.trim().toLowerCase());
  }

  /** All charges by list, as plain data; the same object until a list is replaced. */
  lists(): ChargeLists {
    this.#lists ??= new Map(this.#byList);
    return this.#lists;
  }

  #index(): ReadonlyMap<string, ReadonlyMap<string, NamedCharges>> {
    if (this.#byName !== undefined) return this.#byName;
    const byName = new Map<string, Map<string, NamedCharges>>();
    for (const charge of [...this.#byList.values()].flat()) {
      for (const [field, name] of Object.entries(charge.names)) {
        const byValue = byName.get(field) ?? new Map<string, NamedCharges>();
        const named = byValue.get(name) ?? new NamedCharges();
        named.charges.push(charge);
        byName.set(field, byValue.set(name, named));
      }
    }
    this.#byName = byName;
    return byName;
  }
}

class NamedCharges {
  readonly charges: KnownCharge[] = [];
  #agreement: Agreement | undefined;

  get agreement(): Agreement {
    this.#agreement ??= findAgreement(this.charges);
    return this.#agreement;
  }
}
