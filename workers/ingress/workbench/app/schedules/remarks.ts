/** What the page and the engine remark on a loan: faults and notes by place in the form. */
import { asProblem } from '../engine-error.ts';
import { formatAmount, formatEntry, formatNumber, groupSign } from '../format.ts';
import { checkLoan, type EntryFault } from './check-loan.ts';
import { placeText, withLabels } from './field-texts.ts';
import { isPercentage, type FormField } from './loan-fields.ts';
import { twoReadings } from '../read-number.ts';
import { entryOf, isSent, listValues, placeInForm, type Entry, type Loan, type PlacedValue } from './loan.ts';
import { knownText, schedulesText as t } from '../texts.ts';
import type { LiveSchedule } from './use-schedule.ts';

/** Messages of the engine are in English. Texts of the page are in the language of the page and have no `lang`. */
export interface PlacedFault {
  readonly text: string;
  readonly lang?: 'en';
}

export interface PlacedNote {
  readonly text: string;
  /** Whether the field has no effect on the schedule. */
  readonly isIgnored: boolean;
}

export interface Remarks {
  /** By place: the fault that the page found, or else the one that the engine reported. */
  readonly faults: Readonly<Record<string, PlacedFault>>;
  /** Messages of the engine about fields that have no place in the form. */
  readonly others: readonly string[];
  readonly notes: Readonly<Record<string, PlacedNote>>;
}

/** `live` is the calculation of this loan; without it, only the page remarks on the loan. */
export function remarkOn(loan: Loan, form: readonly FormField[], live: LiveSchedule | undefined): Remarks {
  const errors = live?.error === undefined ? [] : (asProblem(live.error).errors ?? []);
  const { byPlace, others } = placeInForm(errors, loan, form);
  const entry = entryOf(loan, groupSign());
  const checked = checkLoan(loan, form, entry.group);
  const values = new Map(listValues(loan, form).map((value) => [value.place, value]));
  const warnings = errors.length > 0 ? [] : (live?.value?.warnings ?? []);
  return {
    faults: {
      ...mapValues(byPlace, ({ message }): PlacedFault => ({ text: withLabels(message), lang: 'en' })),
      ...mapValues(checked, (fault, place) => ({ text: entryText(fault, values.get(place), entry) })),
    },
    others: others.map(
      ({ path, message }) => `${placeText(path.replace(/^jsonParam\./, ''))}: ${withLabels(message)}`,
    ),
    notes: {
      ...mapValues(placeInForm(warnings, loan, form).byPlace, ({ code }) => ({
        text: knownText('warnings', code) ?? code,
        isIgnored: code === 'no-effect',
      })),
      ...notesOnNewItems(loan),
    },
  };
}

function notesOnNewItems({ lists }: Loan): Record<string, PlacedNote> {
  const notes = Object.entries(lists).flatMap(([list, items]) =>
    items.flatMap((item, at) => {
      if (isSent(list, item)) return [];
      const [name, text] =
        list === 'EarlyRepayments' ? ['Amount', t('notPrepaid')] : ['SourceValue', t('notCharged')];
      return [[`${list}[${at}].${name}`, { text, isIgnored: false }] as const];
    }),
  );
  return Object.fromEntries(notes);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)] as const));
}

/** Says what is wrong with the entered value, and what is allowed or how to write it. */
export function entryText(
  { reason, from = 0, to = 0 }: EntryFault,
  entered: Pick<PlacedValue, 'text' | 'field'> | undefined,
  entry: Entry,
): string {
  const value = entered?.text ?? '';
  if (reason === 'notNumber') return unreadText(value, entered?.field, entry);
  return t(reason, { value, from: formatNumber(from, 2), to: formatNumber(to, 2) });
}

function unreadText(value: string, field: FormField | undefined, { decimals }: Entry): string {
  const isWhole = field?.kind === 'whole';
  const [one = '', other = ''] = twoReadings(value, isWhole ? 0 : decimals) ?? [];
  if (one !== '') return t('ambiguous', { value, one, other: formatEntry(other) });
  const amount = isWhole ? formatNumber(12) : formatAmount(250_000, decimals);
  const example = field !== undefined && isPercentage(field) ? `${formatEntry('7.25')} %` : amount;
  return t(/\d.*[A-Za-z%€]|[A-Za-z%€].*\d/.test(value) ? 'wrongUnit' : 'notNumber', { value, example });
}
