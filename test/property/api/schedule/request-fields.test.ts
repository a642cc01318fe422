import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toJsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { repaymentScheduleFields } from '../../../../shared/api/actions/schedule-request-fields.ts';
import {
  REQUEST_BASES as bases,
  REQUEST_FIELDS as rows,
  withChanges,
  withoutField,
  type JsonObject,
  type FieldExample,
} from '../../../support/request-fields-table.ts';
import { answerTo, effectOf, isReport, type Answer } from '../../../support/stated-effects.ts';

const docs = path.resolve(import.meta.dirname, '../../../../docs');

/** All fields of the request; fields of items are written as `Commission[].FeeDate`. */
const FIELDS = Object.entries(toJsonSchema(repaymentScheduleFields).properties ?? {}).flatMap(
  ([field, { items }]) => [
    field,
    ...Object.keys(items?.properties ?? {}).map((name) => `${field}[].${name}`),
  ],
);

function baseOf(name: string): JsonObject {
  const base = bases.get(name);
  if (base === undefined) throw new Error(`not a base request: ${name}`);
  return base;
}

/** The figures, dates and calendar of an answer as a string, for comparison. */
function figuresOf(answer: Answer): string {
  if (answer.kind === 'refused') return answer.faults.join();
  const { warnings: _, ...figures } = answer.schedule;
  return JSON.stringify(figures);
}

const EXAMPLES = rows.flatMap(({ field, examples }) =>
  examples.map((example) => [field, JSON.stringify(example.changes), example] as const),
);

describe('the examples of the fields of a schedule request', () => {
  it('are of each field of the request exactly once, and no other', () => {
    expect(FIELDS.length).toBeGreaterThan(70);
    expect(rows.map(({ field }) => field).toSorted()).toEqual(FIELDS.toSorted());
  });

  it('name existing rules of docs/rulings.md', () => {
    const rulings = readFileSync(path.join(docs, 'rulings.md'), 'utf8');
    const anchors = [...rulings.matchAll(/<a id="([a-z]\d)"><\/a>([A-Z]\d)/g)].map(([, anchor, id]) => {
      expect(anchor).toBe(id?.toLowerCase());
      return id;
    });
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(rows.filter(({ rules }) => rules.length === 0)).toEqual([]);
    expect(rows.flatMap(({ rules }) => rules).filter((rule) => !anchors.includes(rule))).toEqual([]);
  });

  it('have only base requests that are valid, without warnings, and used', () => {
    const answers = [...bases.values()].map(answerTo);
    expect(
      answers.flatMap((answer) => (answer.kind === 'refused' ? answer.faults : reportsOf(answer))),
    ).toEqual(answers.map(() => ''));
    const used = new Set(EXAMPLES.map(([, , { base }]) => base));
    expect([...bases.keys()].filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('an example of a field', () => {
  it.each(EXAMPLES)('%s: %s has the stated effects', (_field, _changes, { base, changes, effects }) => {
    const answer = answerTo(withChanges(baseOf(base), changes));
    expect(effects.length).toBeGreaterThan(0);
    const found = effects.map(([name]) => `${name}: ${effectOf(answer, name)}`);
    expect(found).toEqual(effects.map(([name, value]) => `${name}: ${value}`));
  });

  it.each(EXAMPLES)('%s: %s states effects of the field and not of others', (field, _text, example) => {
    const { base, changes, effects } = example;
    const otherChanges = withoutField(changes, field);
    expect(changes).not.toEqual(otherChanges);
    const answer = answerTo(withChanges(baseOf(base), changes));
    const others = [{}, otherChanges].map((other) => answerTo(withChanges(baseOf(base), other)));
    expect(others.filter((other) => isSameAnswer(other, answer))).toEqual([]);
    const isOnlyReported = answer.kind === 'schedule' && effects.every(([name]) => isReport(name));
    const unlike = others.filter((other) => figuresOf(other) !== figuresOf(answer)).length;
    expect(isOnlyReported ? figuresOf(others[1] ?? answer) : unlike).toBe(
      isOnlyReported ? figuresOf(answer) : others.length,
    );
  });
});

function isSameAnswer(first: Answer, second: Answer): boolean {
  return reportsOf(first) === reportsOf(second) && figuresOf(first) === figuresOf(second);
}

/** Faults of a refused request, or the fields that are reported. */
function reportsOf(answer: Answer): string {
  return answer.kind === 'refused' ? answer.faults.join() : effectOf(answer, 'warning');
}

/** Values that have an effect in all base requests, for fields whose first example has no effect in some of them. */
const MEANINGFUL: Readonly<Record<string, unknown>> = {
  InterestPercent: 6,
  InstallmentsNo: 5,
  HolidayMethod: 'Backward',
  IsLocked: 1,
  MaturityDate: '2025-07-20',
  CalculateDAE: 2,
  InterestCalculationMethod: 'Actual/360',
  'Commission[].FeePeriodicityType': 'Weekly',
  'BandedInterestRates[].MinUtilizedAmount': 500,
};

/** Fields for which having no effect is correct, as `field base`, with the reason. */
const SILENT: readonly (readonly [RegExp, string])[] = [
  [/^ProductType card$/, 'the product type fits the schedule type'],
  [/^InterestType (recalculation|locked)$/, 'the dates of the rows left are the same in advance (B7)'],
  [
    /^Commission\[\]\.(FeePeriodicityType|FeeDate|PerAnnum) unused$/,
    'the unused amount is charged by days, per annum (F5)',
  ],
  [/^Commission\[\]\.FeeId /, 'the request also has the name'],
  [
    /^Insurance\[\]\.InsuranceClass(Id|Name) /,
    'the request also has the name, and no column shows the class',
  ],
];

describe('fields of a request (E5)', () => {
  it('change the answer or are reported in all base requests', () => {
    const silent = rows.flatMap(({ field, examples }) =>
      [...bases.keys()]
        .filter((base) => isSilent(field, valueOf(field, examples), base))
        .map((base) => `${field} ${base}`),
    );
    expect(silent.filter((pair) => SILENT.every(([allowed]) => !allowed.test(pair)))).toEqual([]);
    const unused = SILENT.filter(([allowed]) => silent.every((pair) => !allowed.test(pair)));
    expect(unused.map(([, reason]) => reason)).toEqual([]);
  });
});

function valueOf(field: string, examples: readonly FieldExample[]): unknown {
  if (field in MEANINGFUL) return MEANINGFUL[field];
  const [list = '', name = ''] = field.split('[].');
  const values = examples.map(({ changes }) => {
    const value = changes[list];
    return name === '' || !Array.isArray(value)
      ? value
      : (value as JsonObject[]).find((item) => item[name] !== undefined)?.[name];
  });
  return values.find((value) => value !== undefined && value !== null);
}

/**
 * True if the value has no effect on a base request. The request uses day 15 and explanations, which reveal more
 * effects.
 */
function isSilent(field: string, value: unknown, base: string): boolean {
  const fields = withChanges(baseOf(base), {
    InstallmentDay: 15,
    ...(field === 'Explain' ? {} : { Explain: true }),
  });
  const [list = '', name] = field.split('[].');
  if (value === undefined || (name !== undefined && fields[list] === undefined)) return false;
  const changed = withChanges(
    fields,
    name === undefined ? { [field]: value } : { [list]: [{ [name]: value }] },
  );
  if (JSON.stringify(changed) === JSON.stringify(fields)) return false;
  return isSameAnswer(answerTo(fields), answerTo(changed));
}
