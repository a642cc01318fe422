/**
 * Writes a repayment schedule request as JSON, for callers of the log that send JSON: the inverse of reading it.
 * Members that are undefined are left out; decimals keep every digit.
 */

import { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../lending/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import { jsonSchemaOf, type JsonSchema } from './json-schema.ts';
import { isDateSchema } from './member-kinds.ts';
import { repaymentScheduleMembers } from './repayment-schedule-request-shape.ts';

const MEMBERS = jsonSchemaOf(repaymentScheduleMembers);

/** `{"jsonParam":{...}}` as text. Unknown members of the payload are not written. */
export function renderRepaymentScheduleRequest(request: RepaymentScheduleRequest): string {
  return `{"jsonParam":${recordText(MEMBERS, request)}}`;
}

function recordText(schema: JsonSchema, record: object): string {
  const sent = new Map(Object.entries(record));
  const members = Object.entries(schema.properties ?? {})
    .filter(([name]) => sent.get(name) !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${valueText(member, sent.get(name))}`);
  return `{${members.join(',')}}`;
}

function valueText(schema: JsonSchema, value: unknown): string {
  if (value instanceof Decimal) return value.toString();
  if (isDateSchema(schema)) return `"${formatCalendarDate(value as CalendarDate)}"`;
  if (schema.items === undefined || !Array.isArray(value)) return JSON.stringify(value);
  const { items } = schema;
  return `[${value.map((item: object) => recordText(items, item)).join(',')}]`;
}
