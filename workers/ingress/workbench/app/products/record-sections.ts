/** A version of a product in sections, as the page shows and compares them. Field names are those of the catalogue. */
import type {
  CatalogueVersionReply,
  ReferredList,
} from '../../../../../shared/api/operations/product-lists.ts';
import type { RecordFields } from './catalogue-calls.ts';

export type SectionKey = keyof typeof SECTIONS;

/** One section: fields, or a list of items. */
export interface Section {
  readonly key: SectionKey;
  readonly content: RecordFields | readonly RecordFields[];
}

/** Fields of the record, one field of it, or the items of lists to which it refers. */
type Source =
  | { readonly fields: readonly string[] | undefined }
  | { readonly field: string }
  | {
      readonly list: ReferredList['kind'];
      readonly items?: string;
      readonly describe?: (item: RecordFields) => RecordFields;
    };

const GENERAL_FIELDS = [
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

/** Where the content of each section is, in the order in which they are shown. */
const SECTIONS = {
  general: { fields: GENERAL_FIELDS },
  availability: { field: 'Availability' },
  terms: { field: 'GeneralData' },
  display: { field: 'Display' },
  other: { fields: undefined },
  offers: { field: 'InterestsAndCommissions' },
  interests: { list: 'interest-list', items: 'Interests', describe: describeInterest },
  commissions: { list: 'commission-list', items: 'Commissions', describe: describeCommission },
  insurances: { list: 'insurance-list', items: 'Insurances', describe: describeInsurance },
  discounts: { list: 'discount-list', items: 'Discounts', describe: describeDiscount },
  insuranceItems: { field: 'Insurances' },
  customLists: { list: 'custom-list' },
  guarantees: { field: 'Guarantees' },
  tranches: { field: 'DisbursementMatrix' },
  destinations: { field: 'DestinationTypes' },
  associated: { field: 'AssociatedProducts' },
  documents: { field: 'Documents' },
  questions: { field: 'Questions' },
} as const satisfies Readonly<Record<string, Source>>;

/** `Discounts` are the codes of lists, which each discount has. */
const ELSEWHERE = new Set([
  'Id',
  'Version',
  'Discounts',
  ...GENERAL_FIELDS,
  ...Object.values(SECTIONS).map((source) => ('field' in source ? source.field : '')),
]);

/**
 * The sections of a version that have content. The items of its lists have the field `List`, the code of their list, and each of
 * their values is in a field that says what it is: Percent, PercentagePoints or Amount.
 */
export function sectionsOf({
  product,
  lists,
}: Pick<CatalogueVersionReply, 'product' | 'lists'>): readonly Section[] {
  if (product === undefined) return [];
  const keys = Object.keys(SECTIONS) as SectionKey[];
  return keys
    .map((key) => ({ key, content: contentOf(SECTIONS[key], product, lists) }))
    .filter(({ content }) => Object.keys(content).length > 0);
}

function contentOf(
  source: Source,
  product: RecordFields,
  lists: readonly ReferredList[],
): Section['content'] {
  if ('fields' in source) {
    const others = Object.keys(product).filter((name) => !ELSEWHERE.has(name));
    const names = source.fields ?? others;
    return filled(Object.fromEntries(names.map((name) => [name, product[name]])));
  }
  if ('field' in source) {
    const value = product[source.field];
    return isFields(value) ? filled(value) : itemList(value);
  }
  const { list, items, describe = (item) => item } = source;
  return lists
    .filter(({ kind }) => kind === list)
    .flatMap(({ record = {}, code }) =>
      items === undefined
        ? [filled({ ...record, Version: null })].filter((one) => Object.keys(one).length > 0)
        : itemList(record[items]).map((item) => describe({ ...item, List: record['Code'] ?? code })),
    );
}

/** Without what is empty. */
function filled(record: RecordFields): RecordFields {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null,
    ),
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
