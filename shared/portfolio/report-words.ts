/** The texts of a report in English, and how it writes figures. The workbench has the same texts in its other languages. */

import { formatMinorUnits } from '../lending/numbers/money.ts';

export const REPORT_TEXTS = {
  result: 'Result',
  calculated: 'Calculated',
  failed: 'Failed',
  withWarnings: 'With ignored fields',
  ignoredFields: 'Ignored fields of calculated contracts',
  instalments: 'Instalments',
  duplicateIds: '{count} contracts have the id of an earlier line. First ids, with both lines: {ids}.',
  compared: 'Compared',
  changed: 'Changed',
  otherLength: 'Other number of instalments',
  unreadable: 'Previous schedule not readable',
  unreadableLines:
    'The previous schedules of {count} contracts cannot be read, so these are not compared. First lines: {lines}.',
  totals: 'Totals',
  currency: 'Currency',
  noCurrency: 'none stated',
  contracts: 'Contracts',
  principal: 'Principal',
  interest: 'Interest',
  fees: 'Fees',
  total: 'Total',
  comparison: 'Compared with the previous schedules',
  side: 'Schedules',
  before: 'Before',
  after: 'After',
  difference: 'Change',
  noComparison: 'No contract has a previous schedule, so there is nothing to compare.',
  paymentChanges: 'Change of the payment',
  paymentChangesNote:
    'Each contract counts once, by the instalment that changes most of those that both schedules have.',
  totalChanges: 'Change of the total',
  totalChangesNote: 'Each contract counts once, by the sum of all its instalments.',
  scale: 'Contracts by change in percent of the former amount. The steps grow with the distance from zero.',
  chart:
    'Distribution: {lower} contracts lower, {unchanged} unchanged, {higher} higher. The table has the figures.',
  withoutBase: '{count} contracts have no former amount that the change could be compared with.',
  lower: 'Lower',
  unchanged: 'Unchanged',
  higher: 'Higher',
  changeRange: 'Change',
  share: 'Share',
  lowerBy: '{range} lower',
  higherBy: '{range} higher',
  upTo: 'less than {to}',
  fromTo: '{from} to {to}',
  andMore: '{from} or more',
  rises: 'Largest increases',
  falls: 'Largest decreases',
  contract: 'Contract',
  line: 'Line',
  percent: 'Percent',
  failures: 'Failures',
  failuresByCode: 'Failures by code',
  failuresByField: 'Failures by field',
  otherFields: 'further fields',
  listedFailures: 'First failures',
  code: 'Code',
  field: 'Field',
  reason: 'Reason',
  noId: 'not readable',
  moreFailures: 'The first {count} of {all}.',
};

export type ReportTexts = Readonly<Record<keyof typeof REPORT_TEXTS, string>>;

/** Texts and figures in one language. */
export interface ReportWords {
  readonly text: (key: keyof ReportTexts, values?: Readonly<Record<string, string | number>>) => string;
  readonly count: (value: number) => string;
  /** An amount in minor units, exact whatever its size. */
  readonly amount: (minor: bigint, digits: number) => string;
  /** An amount with its sign. */
  readonly change: (minor: bigint, digits: number) => string;
  readonly percent: (value: number) => string;
  /** A percentage with two decimals, for a column of them. */
  readonly share: (value: number) => string;
  readonly signedShare: (value: number) => string;
}

const TWO_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Writes a report in the language of the texts, with figures as in the locale. */
export function createReportWords(locale: string, text: ReportWords['text']): ReportWords {
  const formats = new Map<string, Intl.NumberFormat>();
  const formatOf = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const key = JSON.stringify(options);
    const known = formats.get(key);
    if (known !== undefined) return known;
    const format = new Intl.NumberFormat(locale, options);
    formats.set(key, format);
    return format;
  };
  const amountOf = (minor: bigint, digits: number, signDisplay: 'auto' | 'exceptZero'): string =>
    formatOf({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay }).format(
      formatMinorUnits(minor, digits) as Intl.StringNumericLiteral,
    );
  const percentOf = (value: number, options: Intl.NumberFormatOptions): string =>
    `${formatOf(options).format(value)}\u00A0%`;
  return {
    text,
    count: (value) => formatOf({}).format(value),
    amount: (minor, digits) => amountOf(minor, digits, 'auto'),
    change: (minor, digits) => amountOf(minor, digits, 'exceptZero'),
    percent: (value) => percentOf(value, { maximumFractionDigits: 2 }),
    share: (value) => percentOf(value, TWO_DECIMALS),
    signedShare: (value) => percentOf(value, { ...TWO_DECIMALS, signDisplay: 'exceptZero' }),
  };
}

/** The texts in English, with `{name}` filled in. */
export function englishText(
  key: keyof ReportTexts,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return REPORT_TEXTS[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
