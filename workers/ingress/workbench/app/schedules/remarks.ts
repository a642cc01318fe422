/** What this page and the engine say about the fields of a loan, by their places in the form. */
import { asProblem } from '../design/components.tsx';
import { formatNumber } from '../format.ts';
import { checkLoan, type EntryFault } from './check-loan.ts';
import type { FormField } from './form-field.ts';
import { placeInForm, type Loan } from './loan.ts';
import { t } from './texts.ts';
import type { LiveSchedule } from './use-schedule.ts';

/** What is wrong with a place of the form; the messages of the engine are in English. */
export interface PlacedFault {
  readonly text: string;
  readonly lang?: 'en';
}

/** What the engine says about a place that is no fault. */
export interface PlacedNote {
  readonly text: string;
  /** Whether the value changes nothing. */
  readonly isIgnored: boolean;
}

export interface Remarks {
  /** Faults by their places: those of this page at once, those of the engine when it has answered. */
  readonly faults: Readonly<Record<string, PlacedFault>>;
  /** Faults of the engine that have no place in the form. */
  readonly others: readonly string[];
  readonly notes: Readonly<Record<string, PlacedNote>>;
}

/** What there is to say about the fields of a loan. */
export function remarkOn(loan: Loan, form: readonly FormField[], live: LiveSchedule | undefined): Remarks {
  const errors = live?.error === undefined ? [] : (asProblem(live.error).errors ?? []);
  const { byPlace, others } = placeInForm(errors, loan, form);
  const checked = Object.entries(checkLoan(loan, form));
  const warned = placeInForm(live?.schedule?.warnings ?? [], loan, form).byPlace;
  return {
    faults: {
      ...mapValues(byPlace, ({ message }): PlacedFault => ({ text: message, lang: 'en' })),
      ...Object.fromEntries(checked.map(([place, fault]) => [place, { text: entryText(fault) }])),
    },
    others: others.map(({ path, message }) => `${path}: ${message}`),
    notes:
      errors.length > 0
        ? {}
        : mapValues(warned, ({ code }) => ({ text: warningText(code), isIgnored: code === 'no-effect' })),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)] as const));
}

function entryText({ reason, from = 0, to = 0 }: EntryFault): string {
  const bounds = { from: formatNumber(from, 2), to: formatNumber(to, 2) };
  switch (reason) {
    case 'required':
      return t('required');
    case 'number':
      return t('notNumber');
    case 'whole':
      return t('whole', bounds);
    case 'between':
      return t('between', bounds);
    case 'at-least':
      return t('atLeast', bounds);
    case 'at-most':
      return t('atMost', bounds);
    case 'above':
      return t('above', bounds);
    case 'date':
      return t('notDate');
    default:
      return reason satisfies never;
  }
}

function warningText(code: string): string {
  if (code === 'no-effect') return t('noEffect');
  if (code === 'unknown-name') return t('unknownName');
  if (code === 'ambiguous-name') return t('ambiguousName');
  return code === 'from-catalogue' ? t('fromCatalogue') : code;
}
