/** A version of a product in sections, as the page shows and compares them. Field names are those of the catalogue. */
import type {
  CatalogueVersionReply,
  ReferredList,
} from '../../../../../shared/api/operations/product-lists.ts';
import type { RecordFields } from './catalogue-api.ts';

/** The sections, in the order in which they are shown. */
export const SECTION_KEYS = [
  'general',
  'availability',
  'terms',
  'display',
  'other',
  'offers',
  'interests',
  'commissions',
  'insurances',
  'discounts',
  'insuranceItems',
  'customLists',
  'guarantees',
  'tranches',
  'destinations',
  'associated',
  'documents',
  'questions',
] as const;
export type SectionKey = (typeof SECTION_KEYS)[number];

/** One section: fields, or a list of items. */
export interface Section {
  readonly key: SectionKey;
  readonly content: RecordFields | readonly RecordFields[];
}

const GENERAL = [
  'Name',
  'Code',
  'BankingProductType',
  'Status',
  'StartDate',
  'EndDate',
  'PaymentScheduleTypes',
  'CountryCalendars',
  'CapitalPercent',
  'ResidualPercent',
];

/** Sections that are a field of the record. */
const FIELDS: Readonly<Partial<Record<SectionKey, string>>> = {
  terms: 'GeneralData',
  availability: 'Availability',
  offers: 'InterestsAndCommissions',
  insuranceItems: 'Insurances',
  guarantees: 'Guarantees',
  destinations: 'DestinationTypes',
  tranches: 'DisbursementMatrix',
  associated: 'AssociatedProducts',
  documents: 'Documents',
  questions: 'Questions',
  display: 'Display',
};
/** `Discounts` are the codes of lists, which each discount has. */
const ELSEWHERE = new Set(['Id', 'Version', 'Discounts', ...GENERAL, ...Object.values(FIELDS)]);

/**
 * The sections of a version that have content. The items of its lists have the field `List`, the code of their list, and each of
 * their values is in a field that says what it is: Percent, PercentagePoints or Amount.
 */
export function sectionsOf({
  product,
  lists,
}: Pick<CatalogueVersionReply, 'product' | 'lists'>): readonly Section[] {
  if (product === undefined) return [];
  return SECTION_KEYS.map((key) => ({ key, content: contentOf(key, product, lists) })).filter(
    ({ content }) => Object.keys(content).length > 0,
  );
}

function contentOf(
  key: SectionKey,
  product: RecordFields,
  lists: readonly ReferredList[],
): Section['content'] {
  const ofList = LIST_SECTIONS[key];
  if (ofList !== undefined) return itemsOf(lists, ofList.kind, ofList.field).map(ofList.describe);
  if (key === 'general') return pick(inOrder(product, GENERAL), () => true);
  if (key === 'other') return pick(product, (name) => !ELSEWHERE.has(name));
  if (key === 'customLists') return lists.flatMap(valuesOf);
  return contentOfField(product[FIELDS[key] ?? '']);
}

function inOrder(record: RecordFields, names: readonly string[]): RecordFields {
  return Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));
}

function valuesOf({ kind, record }: ReferredList): readonly RecordFields[] {
  return kind === 'custom-list' && record !== undefined ? [pick(record, (name) => name !== 'Version')] : [];
}

function contentOfField(value: unknown): Section['content'] {
  if (Array.isArray(value)) return value.filter(isFields);
  return isFields(value) ? pick(value, () => true) : {};
}

function pick(record: RecordFields, isWanted: (name: string) => boolean): RecordFields {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => isWanted(name) && value !== null && !isEmptyList(value)),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function itemsOf(
  lists: readonly ReferredList[],
  kind: ReferredList['kind'],
  field: string,
): readonly RecordFields[] {
  return lists
    .filter((list) => list.kind === kind)
    .flatMap(({ record = {}, code }) =>
      itemList(record[field]).map((item) => ({ ...item, List: record['Code'] ?? code })),
    );
}

function describeInterest({ Values, BandedInterests, ...interest }: RecordFields): RecordFields {
  return {
    ...interest,
    Values: itemList(Values).map(({ Value, ValueStatus, ...days }) => ({
      Percent: Value,
      ...days,
      Status: ValueStatus,
    })),
    BandedInterests: itemList(BandedInterests).map(({ Value, ...band }) => ({ ...band, Percent: Value })),
  };
}

function describeCommission({ Values, ...commission }: RecordFields): RecordFields {
  return {
    ...commission,
    Values: itemList(Values).map(({ CommissionValue, CommissionPercent, ...days }) => ({
      Amount: CommissionValue,
      Percent: CommissionPercent,
      ...days,
    })),
  };
}

function describeInsurance({ Values, ...insurance }: RecordFields): RecordFields {
  const unit = insurance['ValueIsPercentage'] === true ? 'Percent' : 'Amount';
  return {
    ...insurance,
    Values: itemList(Values).map(({ Value, ...days }) => ({ [unit]: Value, ...days })),
  };
}

function describeDiscount({ DiscountValue, ...discount }: RecordFields): RecordFields {
  const { IsPercentage, AppliedToDimension } = discount;
  const ofOther = AppliedToDimension === 'Interest' ? 'PercentagePoints' : 'Amount';
  return { ...discount, [IsPercentage === true ? 'Percent' : ofOther]: DiscountValue };
}

/** Sections that are the items of lists. */
const LIST_SECTIONS: Readonly<
  Partial<
    Record<
      SectionKey,
      {
        readonly kind: ReferredList['kind'];
        readonly field: string;
        readonly describe: (item: RecordFields) => RecordFields;
      }
    >
  >
> = {
  interests: { kind: 'interest-list', field: 'Interests', describe: describeInterest },
  commissions: { kind: 'commission-list', field: 'Commissions', describe: describeCommission },
  insurances: { kind: 'insurance-list', field: 'Insurances', describe: describeInsurance },
  discounts: { kind: 'discount-list', field: 'Discounts', describe: describeDiscount },
};

/** The objects of a list; none if the value is something else. */
export function itemList(value: unknown): readonly RecordFields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** True for an object that is not a list. */
export function isFields(value: unknown): value is RecordFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields that name an item, in order of preference. */
const TITLES = [
  'Name',
  'InsuranceName',
  'DisplayName',
  'ProductGuaranteeName',
  'ProductDestinationTypeName',
  'AssociatedProductName',
  'Filter',
  'InterestName',
  'Code',
];

/** The field that names the items of a list; undefined if they have no name. */
export function titleField(items: readonly RecordFields[]): string | undefined {
  return TITLES.find((field) => items.every((item) => typeof item[field] === 'string'));
}
