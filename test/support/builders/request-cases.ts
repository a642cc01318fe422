/** Requests as text, for tables of tests. */

import { date, decimal } from './lending-loan.ts';

/** Fields that are dates, or plain numbers; all other numbers are decimals. */
const DATES = /Date(?:ForOD|ForUnusage)?$/;
const WHOLE =
  /(?:No|Precision|ContractPeriod|GracePeriod\w+|InterestType|InstallmentDay|Capitalization|CalculateDAE)$/;

function typed(field: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? date(item) : typedFields(item as object)));
  if (typeof value === 'number') return WHOLE.test(field) ? value : decimal(value);
  return typeof value === 'string' && DATES.test(field) ? date(value) : value;
}

/** The typed fields of a request; null stands for a field that is not sent. */
export function typedFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, typed(field, value)]));
}

const SETTING = /^\w+ = /;

/** A block of text: its first line, fields as sent, and its other lines. */
interface SentCase {
  readonly title: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly others: readonly string[];
}

/**
 * Reads blocks, each of a line and further indented ones, or of parts with ` | ` between them. Fields such as
 * `InterestPercent = null; Precision = 11` may continue in the next line.
 */
export function readSentCases(text: string): readonly SentCase[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const lines = block.split(/\n| \| /).map((line) => line.trim());
      const settings = lines.filter((line) => SETTING.test(line)).flatMap((line) => line.split('; '));
      const fields = settings.map((setting) => setting.split(' = ') as [string, string]);
      return {
        title: lines[0] ?? '',
        sent: Object.fromEntries(fields.map(([field, value]) => [field, JSON.parse(value) as unknown])),
        others: lines.slice(1).filter((line) => !SETTING.test(line)),
      };
    });
}

/** Typed changes of a request, and the fault that they cause as `path code message`. */
interface RequestCase<Changes> {
  readonly fault: string;
  readonly changes: Changes;
}

/** Reads cases of one fault each; null stands for a field that is not sent. */
export function readRequestCases<Changes extends object>(text: string): readonly RequestCase<Changes>[] {
  return readSentCases(text).map(({ sent, others: [fault = ''] }) => {
    return { fault, changes: typedFields(sent) as Changes };
  });
}
