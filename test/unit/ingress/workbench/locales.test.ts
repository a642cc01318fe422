import { expect, it } from 'vitest';
import { RECORD_SHAPES } from '../../../../shared/product/catalogue/read-record.ts';
import { toJsonSchema, type JsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { REPORT_TEXTS } from '../../../../shared/portfolio/report-words.ts';
import en from '../../../../workers/ingress/workbench/app/locales/en.json' with { type: 'json' };
import ro from '../../../../workers/ingress/workbench/app/locales/ro.json' with { type: 'json' };
import { scheduleFormFields } from '../../../../workers/ingress/workbench/schedule-form-fields.ts';

type Part = Readonly<Record<string, string>>;

const { help, report, ...romanian } = ro;
const pairs: readonly (readonly [name: string, english: Part, romanian: Part])[] = [
  ...Object.entries(en).map(
    ([name, texts]) => [name, texts, (romanian as Record<string, Part>)[name] ?? {}] as const,
  ),
  ['report', REPORT_TEXTS, report],
];

it.each(pairs)('%s has the same texts in both languages, with the same values', (_, english, other) => {
  expect(Object.keys(other).toSorted()).toEqual(Object.keys(english).toSorted());
  for (const [key, text] of Object.entries(english)) {
    expect({ key, values: valuesIn(other[key] ?? '') }).toEqual({ key, values: valuesIn(text) });
  }
});

it('the languages have the same parts, and names of all fields of requests, products and lists', () => {
  expect(Object.keys(romanian)).toEqual(Object.keys(en));
  const names = scheduleFormFields()
    .flatMap(({ name, items = [] }) => [name, ...items.map((item) => `${name}.${item.name}`)])
    .toSorted();
  expect(Object.keys(en.fields).toSorted()).toEqual(names);
  expect(Object.keys(help).toSorted()).toEqual(names);
  const lists = [
    'interest-list',
    'commission-list',
    'insurance-list',
    'discount-list',
    'limit-list',
  ] as const;
  const kinds = ['product', ...lists] as const;
  const fields = new Set(kinds.flatMap((kind) => fieldsOf(toJsonSchema(RECORD_SHAPES[kind]))));
  expect(fields.size).toBeGreaterThan(150);
  expect([...fields].filter((field) => !(field in en.recordFields))).toEqual([]);
});

function valuesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\{\w+\}/g))].toSorted();
}

function fieldsOf({ properties = {}, items, anyOf = [] }: JsonSchema): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...inner.flatMap(fieldsOf)];
}
