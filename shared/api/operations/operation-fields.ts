/** The operations interface: its limits, the kinds of its fields, and how bodies and query strings are read. */

import { z } from 'zod';
import { formatCalendarDate, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import { anyText, mustBe, oneOf } from '../../platform/json-kinds.ts';
import { namedIn, NOT_EMPTY, refuse, withFigures } from '../json/field-kinds.ts';
import FIELD_TEXTS from './field-texts.json' with { type: 'json' };
import type { Fault } from '../../platform/problem.ts';
import { limitFaults, toFaults } from '../json/faults.ts';
import { toJsonSchema, type JsonSchema } from '../json/json-schema.ts';
import { surveyFields } from '../json/unknown-fields.ts';

export const OPERATIONS_LIMITS = {
  pageLetters: 1_000,
  defaultPageLetters: 50,
  actionLetters: 500,
  defaultActionLetters: 100,
  /** Maximum number of dead letters that one call reads; their metadata takes 25 MB. */
  scannedLetters: 50_000,
  /** Newest records of the audit that one call reads, in about 2 s. A redrive, edit or mark writes two records. */
  auditRecords: 200_000,
  criteria: 20,
  /** Fields that one edit may change, more than a schedule request has. The audit records their names. */
  editedFields: 50,
  /** Characters of the path of an edited field, such as `jsonParam.Amount`. */
  editedPathCharacters: 200,
  editedHeaders: 20,
  editedHeaderCharacters: 1_000,
  reasonCharacters: 500,
  textCharacters: 300,
  pageNotifications: 200,
  defaultPageNotifications: 50,
  outboxMessages: 100,
  pageProducts: 200,
  defaultPageProducts: 50,
  searchCharacters: 100,
  /** Latest versions of a product that an answer lists; each takes about 200 bytes. */
  listedVersions: 200,
  /** Lists that a call reads for a product version, a millisecond each; it stops above `referredListBytes` in total. */
  referredLists: 100,
  referredListBytes: 8_388_608,
} as const;

/** The descriptions of fields, by the id or the name of their object. */
export const TEXTS = withFigures(FIELD_TEXTS, OPERATIONS_LIMITS);
export const named = namedIn(TEXTS);

const PRINTABLE = /^[^\p{Cc}]+$/u;
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const A_DAY = 'an existing day such as 2026-05-01';
const A_MOMENT = 'a date such as 2026-05-01, or a time with a zone such as 2026-05-01T10:00:00Z';

export const line = (maxCharacters: number = OPERATIONS_LIMITS.textCharacters) =>
  anyText()
    .min(1, { error: NOT_EMPTY })
    .max(maxCharacters, { error: `must have at most ${maxCharacters} characters` })
    .refine((text) => PRINTABLE.test(text) && text.trim() !== '', {
      error: 'must be one line of text',
      params: { code: 'control-character' },
    });

/** A list of one-line texts; absent means empty. */
export const criteria = (maxItems: number = OPERATIONS_LIMITS.criteria) =>
  z
    .array(line(), { error: mustBe('a list of texts') })
    .max(maxItems)
    .optional()
    .transform((items) => items ?? []);

/** A time in ISO 8601, read as epoch milliseconds. A date means its midnight in UTC. */
export const moment = () =>
  anyText(A_MOMENT)
    .meta({ pattern: MOMENT.source, examples: ['2026-05-01T10:00:00Z'] })
    .transform((text, context) => {
      // Date.parse takes the 30th of February as the 1st or 2nd of March.
      const hasDay = parseCalendarDate(text.slice(0, 'yyyy-mm-dd'.length)) !== undefined;
      const time = hasDay && MOMENT.test(text) ? Date.parse(text) : Number.NaN;
      if (!Number.isNaN(time)) return time;
      return refuse(context, text, 'invalid-date', `must be ${A_MOMENT}`);
    });

/** A day, sent exactly as `yyyy-mm-dd`. */
export const day = () =>
  anyText(A_DAY)
    .meta({ format: 'date' })
    .transform((text, context) => {
      const found = parseCalendarDate(text);
      if (found !== undefined && formatCalendarDate(found) === text) return found;
      return refuse(context, text, 'invalid-date', `must be ${A_DAY}`);
    });

/** A whole number within bounds. In a query string it is text. */
export const numberFrom = (least: number, most: number) => {
  const rule = `a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string()], { error: mustBe(rule) })
    .meta({ type: 'integer', anyOf: undefined, minimum: least, maximum: most })
    .transform((sent, context) => {
      const isWritten = typeof sent === 'number' || /^\d{1,9}$/.test(sent);
      const value = isWritten ? Number(sent) : Number.NaN;
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      return refuse(context, sent, 'out-of-range', `must be ${rule}`);
    });
};

/** A flag of a body; absent means false. */
export const choice = () =>
  z
    .boolean({ error: mustBe('true or false') })
    .optional()
    .transform((sent) => sent ?? false);

/** A flag of a query string; absent means false. */
export const queryChoice = () =>
  oneOf(['true', 'false'])
    .optional()
    .transform((sent) => sent === 'true');

export const channelName = () => oneOf(['sms', 'email']);

type ReadFields<Fields> =
  | { readonly kind: 'read'; readonly fields: Fields }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

/** Refuses unknown fields, unlike E3, because an action with a misspelt `dryRun` must not be carried out. */
export function readFields<Shape extends z.ZodObject>(
  shape: Shape,
  sent: unknown,
): ReadFields<z.output<Shape>> {
  const survey = surveyFields(describeShape(shape).schema, sent);
  const read = survey.overlong.length === 0 ? shape.safeParse(sent) : undefined;
  const faults = [
    ...survey.overlong,
    ...(read?.success === false ? toFaults(read.error.issues, sent) : []),
    ...survey.faults(),
  ];
  if (read?.success === true && faults.length === 0) return { kind: 'read', fields: read.data };
  return { kind: 'invalid', faults: limitFaults(faults) };
}

/** Reads a parsed query string. A list parameter may be sent once or repeatedly, any other parameter once. */
export function readQuery<Shape extends z.ZodObject>(shape: Shape, query: unknown) {
  const { lists } = describeShape(shape);
  const sent = Object.entries(query as Readonly<Record<string, unknown>>).map(([name, value]) => [
    name,
    lists.has(name) && !Array.isArray(value) ? [value] : value,
  ]);
  return readFields(shape, Object.fromEntries(sent));
}

const described = new WeakMap<
  z.ZodObject,
  { readonly schema: JsonSchema; readonly lists: ReadonlySet<string> }
>();

/** Derives the description of each definition once, because that takes a millisecond, most of the time of a call. */
function describeShape(shape: z.ZodObject) {
  const known = described.get(shape);
  if (known !== undefined) return known;
  const schema = toJsonSchema(shape);
  const fields = Object.entries(schema.properties ?? {});
  const lists = new Set(fields.flatMap(([name, { items }]) => (items === undefined ? [] : [name])));
  const description = { schema, lists };
  described.set(shape, description);
  return description;
}
