/** A field of a request as a form needs it. `workers/ingress/workbench/schedule-form-fields.ts` makes them from the schema of the request. */

export type FieldKind = 'number' | 'whole' | 'date' | 'flag' | 'numeric-flag' | 'text' | 'list';

export interface FormField {
  /** The name in the interface. */
  readonly name: string;
  /** How the value is sent: a flag as true or false, a numeric flag as 1 or 0. */
  readonly kind: FieldKind;
  /** The description of the schema; empty without one. */
  readonly help: string;
  readonly isRequired: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Known values of a text. */
  readonly choices?: readonly string[];
  /** Whether other values than the choices are possible. */
  readonly isOpen?: boolean;
  /** Fields of the items of a list, and how many items it may have. */
  readonly items?: readonly FormField[];
  readonly maxItems?: number;
}

/** Names of fields whose numbers are percentages. */
const PERCENTAGE = /Percent$|^InterestRate$|^Value$/;

export function isPercentage({ name }: Pick<FormField, 'name'>): boolean {
  return PERCENTAGE.test(name);
}
