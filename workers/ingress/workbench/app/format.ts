/** Writes amounts, rates and dates as text, in the language of the workbench. */
import { language, type Language } from './preferences.ts';

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', ro: 'ro-RO' };
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

/** The formats by kind, locale and options. They are kept, since creating one takes longer than using it. */
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** The locale of numbers and dates: the browser's variant of the language, such as en-US, or else en-GB or ro-RO. */
export function locale(): string {
  const own = navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${language.value}-`));
  return own !== undefined && isTag(own) ? own : LOCALES[language.value];
}

/** Whether Intl accepts a tag. Intl refuses `en-US@posix`, which Chromium reports where no language is set. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const numberFormat = (options: Intl.NumberFormatOptions) => formatOf(Intl.NumberFormat, options);
const dateFormat = (options: Intl.DateTimeFormatOptions) => formatOf(Intl.DateTimeFormat, options);

function formatOf<Options extends object, Format extends Intl.NumberFormat | Intl.DateTimeFormat>(
  Kind: new (locale: string, options: Options) => Format,
  options: Options,
): Format {
  const key = `${Kind.name} ${locale()} ${JSON.stringify(options)}`;
  const format = (formats.get(key) as Format | undefined) ?? new Kind(locale(), options);
  formats.set(key, format);
  return format;
}

/** An amount in currency units with exactly `decimals` decimals: 1234.5 becomes 1,234.50. */
export function formatAmount(amount: number, decimals = 2): string {
  return numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(amount);
}

/** A number rounded to at most `decimals` decimals, by default to a whole number. */
export function formatNumber(value: number, decimals = 0): string {
  return numberFormat({ maximumFractionDigits: decimals }).format(value);
}

/** The separator of thousands in the locale; empty if the locale has none. */
export function groupSign(): string {
  return (
    numberFormat({})
      .formatToParts(1_000_000)
      .find(({ type }) => type === 'group')?.value ?? ''
  );
}

/** A short amount for the axis of a chart: 12500 becomes 12.5K in en-US. */
export function formatCompact(value: number): string {
  return numberFormat({ notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** A decimal as a user would enter it: 8.5 becomes 8,5 in Romanian. */
export function formatEntry(value: string): string {
  return language.value === 'ro' ? value.replace('.', ',') : value;
}

/** A percentage with at most `decimals` decimals: 7.25 becomes 7.25 %. */
export function formatPercent(percent: number, decimals = 2): string {
  return `${formatNumber(percent, decimals)} %`;
}

/** A rate in percent, always with four decimals, so that users can compare rates in a column. */
export function formatRate(percent: number): string {
  return `${formatAmount(percent, 4)} %`;
}

/** Writes 2026-01-01 as 1 Jan 2026. A time after the date is ignored. Text without a date is returned unchanged. */
export function formatDate(text: string): string {
  const day = text.slice(0, 10);
  if (!DATE_ONLY.test(day)) return text;
  return dateFormat({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** A moment (ISO text or epoch milliseconds) to the second, in the time zone of the user. */
export function formatMoment(moment: string | number | Date): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(moment));
}

/** A duration in the largest unit of which it has at least one: 250 ms, 4.2 s, 3 min, 5 h, 2 d. */
export function formatDuration(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ];
  for (const [unit, size] of units) {
    if (Math.abs(ms) >= size) return `${formatNumber(ms / size, 1)} ${unit}`;
  }
  return `${formatNumber(ms, 0)} ms`;
}
