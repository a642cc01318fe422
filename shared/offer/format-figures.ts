/** Writes figures and dates as readers of a language expect them. Figures stay exact: they are formatted from text. */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import { formatCalendarDate, type CalendarDate } from '../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../lending/numbers/money.ts';

const LOCALES: Readonly<Record<DocumentLanguage, string>> = { en: 'en-GB', ro: 'ro-RO' };
const LEAST_DECIMALS = 2;

export interface FigureFormat {
  readonly money: (minor: number) => string;
  /** Plain decimal text in major units, with at least the digits of the currency. */
  readonly amount: (text: string) => string;
  /** Plain decimal text, with its own decimals, at least two. */
  readonly decimal: (text: string) => string;
  readonly date: (day: CalendarDate) => string;
  /** In digits, for columns. */
  readonly shortDate: (day: CalendarDate) => string;
}

export function createFigureFormat(language: DocumentLanguage, digits: number): FigureFormat {
  const locale = LOCALES[language];
  const formats = new Map<number, Intl.NumberFormat>();
  const write = (text: string, decimals: number): string => {
    const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const format =
      formats.get(decimals) ?? new Intl.NumberFormat(locale, { ...fraction, useGrouping: 'always' });
    formats.set(decimals, format);
    return format.format(text as Intl.StringNumericLiteral);
  };
  const dates = (style: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
    return (day: CalendarDate) => format.format(new Date(`${formatCalendarDate(day)}T00:00:00Z`));
  };
  return {
    money: (minor) => write(formatMinorUnits(minor, digits), digits),
    amount: (text) => write(text, Math.max(digits, decimalsOf(text))),
    decimal: (text) => write(text, Math.max(LEAST_DECIMALS, decimalsOf(text))),
    date: dates({ dateStyle: 'long' }),
    shortDate: dates({ day: '2-digit', month: '2-digit', year: 'numeric' }),
  };
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
