/** Report texts in English, and number formats. The workbench has the texts in its other languages. */

import { formatMinorUnits } from '../lending/numbers/money.ts';
import texts from './report-texts.json' with { type: 'json' };

export const REPORT_TEXTS = texts;

export type ReportTexts = Readonly<Record<keyof typeof REPORT_TEXTS, string>>;

export interface ReportWords {
  readonly text: (key: keyof ReportTexts, values?: Readonly<Record<string, string | number>>) => string;
  readonly count: (value: number) => string;
  /** Writes minor units of `digits` decimals, exact whatever their size: `amount(1050n, 2)` is 10.50. */
  readonly amount: (minor: bigint, digits: number) => string;
  /** Like `amount`, but with a plus sign above zero. */
  readonly change: (minor: bigint, digits: number) => string;
  /** A percentage with at most two decimals; `share` and `signedShare` always have two. */
  readonly percent: (value: number) => string;
  readonly share: (value: number) => string;
  readonly signedShare: (value: number) => string;
}

const TWO_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

export function createReportWords(locale: string, text: ReportWords['text']): ReportWords {
  const formatOf = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, options);
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

export function englishText(
  key: keyof ReportTexts,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return REPORT_TEXTS[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
