/** Checks a loan against the ranges of the schema while the user enters it. The engine checks the loan again. */
import { DATE_SEPARATORS, FROM_START, type FormField } from './loan-fields.ts';
import { entryOf, isSent, itemsOf, readField, type Entry, type Loan, type Values } from './loan.ts';

/** Why an entry is refused. `from` and `to` are the bounds that its message names, in the unit of the field. */
export interface EntryFault {
  readonly reason:
    | 'required'
    | 'notNumber'
    | 'whole'
    | 'between'
    | 'atLeast'
    | 'atMost'
    | 'above'
    | 'notDate';
  readonly from?: number;
  readonly to?: number;
}

/** Texts name a range only if both bounds are below this. Higher bounds are limits of the engine, not of loans. */
export const NOTABLE_BOUND = 1_000_000;
const DATE_TEXT = /^(?:19|2\d)\d\d-\d\d-\d\d$/;

/** The faults by place in the form, such as `Amount` or `Commission[0].FeeDate`. `group` is `Entry.group`. */
export function checkLoan(
  loan: Loan,
  form: readonly FormField[],
  group = ',',
): Readonly<Record<string, EntryFault>> {
  const entry = entryOf(loan, group);
  const check = (field: FormField, values: Values, prefix: string) => {
    const fault = faultOf(field, values[field.name]?.trim() ?? '', entry);
    return fault === undefined ? [] : [[prefix + field.name, fault] as const];
  };
  const faults = form.flatMap((field) =>
    field.items === undefined
      ? check(field, loan.fields, '')
      : itemsOf(loan, field.name).flatMap((item, index) =>
          (isSent(field.name, item) ? (field.items ?? []) : []).flatMap((part) =>
            check(part, item, `${field.name}[${index}].`),
          ),
        ),
  );
  return Object.fromEntries(faults);
}

/** The fault of a trimmed text. An empty text is a fault in a required field, unless it means the start of the loan. */
export function faultOf(field: FormField, text: string, entry: Entry): EntryFault | undefined {
  if (text === '')
    return field.isRequired && !FROM_START.has(field.name) ? { reason: 'required' } : undefined;
  if (field.kind === 'date') return isDate(text) ? undefined : { reason: 'notDate' };
  if (field.kind === 'dates')
    return text.split(DATE_SEPARATORS).every(isDate) ? undefined : { reason: 'notDate' };
  if (field.kind !== 'number' && field.kind !== 'whole') return undefined;
  const value = readField(text, field, entry);
  return value === undefined ? { reason: 'notNumber' } : rangeFault(value, field);
}

/** False for a day that does not exist: `Date` reads 2026-02-30 as 2 March. */
function isDate(text: string): boolean {
  if (!DATE_TEXT.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function rangeFault(value: number, field: FormField): EntryFault | undefined {
  const { kind, minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = field;
  const isWithin = value >= minimum && value <= maximum && value > exclusiveMinimum;
  if (kind === 'whole') {
    return isWithin && Number.isInteger(value) ? undefined : { reason: 'whole', from: minimum, to: maximum };
  }
  if (isWithin) return undefined;
  if (value <= exclusiveMinimum) return { reason: 'above', from: exclusiveMinimum };
  if (Math.max(Math.abs(minimum), maximum) < NOTABLE_BOUND) {
    return { reason: 'between', from: minimum, to: maximum };
  }
  return value < minimum ? { reason: 'atLeast', from: minimum } : { reason: 'atMost', to: maximum };
}
