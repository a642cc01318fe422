/** Divides a product version into sections, which the page shows and compares. docs/catalogue.md lists the fields. */
import type {
  CatalogueVersionReply,
  ReferredList,
} from '../../../../../shared/api/operations/product-lists.ts';
import { isRecord } from '../schedules/loan.ts';
import type { RecordFields } from './catalogue-calls.ts';

export type SectionKey = keyof typeof SECTIONS;

export interface Section {
  readonly key: SectionKey;
  readonly content: RecordFields | readonly RecordFields[];
}

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
  limits: { list: 'limit-list', items: 'Limits' },
  insuranceItems: { field: 'Insurances' },
  customLists: { list: 'custom-list' },
  guarantees: { field: 'Guarantees' },
  tranches: { field: 'DisbursementMatrix' },
  destinations: { field: 'DestinationTypes' },
  associated: { field: 'AssociatedProducts' },
  documents: { field: 'Documents' },
  questions: { field: 'Questions' },
} as const satisfies Readonly<Record<string, Source>>;

/** Fields that the section `other` omits. `Discounts` has only list codes, which the section `discounts` shows. */
const ELSEWHERE = new Set([
  'Id',
  'Version',
  'Discounts',
  ...GENERAL_FIELDS,
  ...Object.values(SECTIONS).map((source) => ('field' in source ? source.field : '')),
]);

/** The sections with content. Items get the code of their list as `List`; values are named by unit, such as Percent. */
export function sectionsOf(version: Pick<CatalogueVersionReply, 'product' | 'lists'>): readonly Section[] {
  const { product, lists } = version;
  if (product === undefined) return [];
  const keys = Object.keys(SECTIONS) as SectionKey[];
  return keys
    .map((key) => ({ key, content: contentOf(SECTIONS[key], product, lists) }))
    .filter(({ content }) => Object.keys(content).length > 0);
}

function contentOf(source: Source, product: RecordFields, lists: readonly ReferredList[]) {
  if ('fields' in source) {
    const names = source.fields ?? Object.keys(product).filter((name) => !ELSEWHERE.has(name));
    return filled(Object.fromEntries(names.map((name) => [name, product[name]])));
  }
  if ('field' in source) {
    const value = product[source.field];
    return isRecord(value) ? filled(value) : itemList(value);
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

function filled(record: RecordFields): RecordFields {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null,
    ),
  );
}

function describeInterest({ Values, BandedInterests, ...interest }: RecordFields): RecordFields {
  const values = itemList(Values).map(({ Value, ValueStatus, ...days }) => {
    return { Percent: Value, ...days, Status: ValueStatus };
  });
  const bands = itemList(BandedInterests).map(({ Value, ...band }) => ({ ...band, Percent: Value }));
  return { ...interest, Values: values, BandedInterests: bands };
}

function describeCommission({ Values, ...commission }: RecordFields): RecordFields {
  const values = itemList(Values).map(({ CommissionValue, CommissionPercent, ...days }) => {
    return { Amount: CommissionValue, Percent: CommissionPercent, ...days };
  });
  return { ...commission, Values: values };
}

function describeInsurance({ Values, ...insurance }: RecordFields): RecordFields {
  const unit = insurance['ValueIsPercentage'] === true ? 'Percent' : 'Amount';
  const values = itemList(Values).map(({ Value, ...days }) => ({ [unit]: Value, ...days }));
  return { ...insurance, Values: values };
}

function describeDiscount({ DiscountValue, ...discount }: RecordFields): RecordFields {
  const { IsPercentage, AppliedToDimension } = discount;
  const ofOther = AppliedToDimension === 'Interest' ? 'PercentagePoints' : 'Amount';
  return { ...discount, [IsPercentage === true ? 'Percent' : ofOther]: DiscountValue };
}

/** The records of a list; empty if the value is not a list. */
export function itemList(value: unknown): readonly RecordFields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Fields that may name an item, in order of preference. */
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

/** The first field of TITLES that is text in every item; undefined if there is none. */
export function titleField(items: readonly RecordFields[]): string | undefined {
  return TITLES.find((field) => items.every((item) => typeof item[field] === 'string'));
}
