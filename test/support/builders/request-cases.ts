/** Faulty requests as text, for tables of tests. */

import { date, decimal } from './lending-loan.ts';

/** Fields that are dates, or plain numbers; all other numbers are decimals. */
const DATES = /Date(?:ForOD)?$/;
const WHOLE = /(?:No|Precision|ContractPeriod|GracePeriod\w+|InterestType)$/;

function typed(field: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => typedFields(item as object));
  if (typeof value === 'number') return WHOLE.test(field) ? value : decimal(value);
  return typeof value === 'string' && DATES.test(field) ? date(value) : value;
}

const typedFields = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, typed(field, value)]));

/** Changes of a request, and the fault that they cause as `path code message`. */
interface RequestCase<Changes> {
  readonly fault: string;
  readonly changes: Changes;
}

/** Reads changes such as `InterestPercent = null; Precision = 11`, each followed by its indented fault; null: not sent. */
export function readRequestCases<Changes extends object>(text: string): readonly RequestCase<Changes>[] {
  const lines = text.trim().split('\n');
  return lines.flatMap((line, at) => {
    if (at % 2 === 1) return [];
    const fields = line.split('; ').map((setting) => setting.split(' = ') as [string, string]);
    const sent = fields.map(([field, value]) => [field, JSON.parse(value) as unknown] as const);
    const changes = typedFields(Object.fromEntries(sent)) as Changes;
    return [{ changes, fault: lines[at + 1]?.trim() ?? '' }];
  });
}
