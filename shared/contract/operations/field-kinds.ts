/** The kinds of fields of the operations interface. */

import { z } from 'zod';
import { formatCalendarDate, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import { anyText, mustBe, oneOf } from '../../platform/json-kinds.ts';
import { NOT_EMPTY, refuse } from '../json/field-kinds.ts';
import { OPERATIONS_LIMITS as LIMIT } from './limits.ts';

const PRINTABLE = /^[^\p{Cc}]+$/u;
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const A_DAY = 'an existing day such as 2026-05-01';
const A_MOMENT = 'a date such as 2026-05-01, or a time with a zone such as 2026-05-01T10:00:00Z';

/** A short text without control characters. */
export const line = (maxCharacters: number = LIMIT.textCharacters) =>
  anyText()
    .min(1, { error: NOT_EMPTY })
    .max(maxCharacters, { error: `must have at most ${maxCharacters} characters` })
    .refine((text) => PRINTABLE.test(text) && text.trim() !== '', {
      error: 'must be one line of text',
      params: { code: 'control-character' },
    });

/** A list of criteria, of which one has to match. */
export const criteria = (maxItems: number = LIMIT.criteria) =>
  z
    .array(line(), { error: mustBe('a list of texts') })
    .max(maxItems)
    .optional()
    .transform((items) => items ?? []);

/** Epoch milliseconds of a time in ISO 8601; a date means its midnight in UTC. */
export const moment = () =>
  anyText(A_MOMENT)
    .meta({ pattern: MOMENT.source, examples: ['2026-05-01T10:00:00Z'] })
    .transform((text, context) => {
      // Date.parse takes the 30th of February as the 2nd of March.
      const hasDay = parseCalendarDate(text.slice(0, 'yyyy-mm-dd'.length)) !== undefined;
      const time = hasDay && MOMENT.test(text) ? Date.parse(text) : Number.NaN;
      if (!Number.isNaN(time)) return time;
      return refuse(context, text, 'invalid-date', `must be ${A_MOMENT}`);
    });

/** A day, written like 2026-05-01. */
export const day = () =>
  anyText(A_DAY)
    .meta({ format: 'date' })
    .transform((text, context) => {
      const found = parseCalendarDate(text);
      if (found !== undefined && formatCalendarDate(found) === text) return found;
      return refuse(context, text, 'invalid-date', `must be ${A_DAY}`);
    });

/** A whole number within bounds, which a query string sends as text. */
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

/** True or false in a body. */
export const choice = () =>
  z
    .boolean({ error: mustBe('true or false') })
    .optional()
    .transform((sent) => sent ?? false);

/** True or false in a query string. */
export const queryChoice = () =>
  oneOf(['true', 'false'])
    .optional()
    .transform((sent) => sent === 'true');

export const channelName = () => oneOf(['sms', 'email']);
