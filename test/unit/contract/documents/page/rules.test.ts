import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../../../shared/contract/actions/actions.ts';
import { fieldPaths } from '../../../../../shared/contract/documents/page/field-list.ts';
import {
  CODE_RULES,
  FIELD_RULES,
  rulesOfField,
} from '../../../../../shared/contract/documents/page/field-rules.ts';
import { inlineMarkup, readRules, ruleLinks } from '../../../../../shared/contract/documents/page/rules.ts';
import { toJsonSchema, type JsonSchema } from '../../../../../shared/contract/json/json-schema.ts';
import { acceptedReply, notificationReply } from '../../../../../shared/contract/notification/answers.ts';
import { NOTIFICATIONS } from '../../../../../shared/contract/notification/notifications.ts';
import { readFieldsDocument } from '../../../../support/request-fields-table.ts';

const rulings = readFileSync(new URL('../../../../../docs/rulings.md', import.meta.url), 'utf8');
const { groups } = readRules(rulings);
const known = new Set(groups.flatMap(({ rules }) => rules.map(({ id }) => id)));
const cited = Object.values(FIELD_RULES).flatMap(({ request, answer }) =>
  Object.values({ ...request, ...answer }),
);
const markup = (text: string): string =>
  inlineMarkup(text)
    .map((part) => part.markup)
    .join('');

/** The fields of a body or of an answer, whose rows may be of several kinds. */
function pathsOf(schema: JsonSchema): readonly string[] {
  const kinds = schema.items?.oneOf;
  return kinds === undefined ? fieldPaths(schema) : kinds.flatMap((items) => fieldPaths({ items }));
}

const operations: readonly (readonly [name: string, request: JsonSchema | undefined, answer: JsonSchema])[] =
  [
    ...ACTIONS.map(
      ({ name, request, replyShape }) =>
        [name, toJsonSchema(request.body), toJsonSchema(replyShape)] as const,
    ),
    ...NOTIFICATIONS.map(
      ({ name, bodyShape }) => [name, toJsonSchema(bodyShape), toJsonSchema(acceptedReply)] as const,
    ),
    ['notification', undefined, toJsonSchema(notificationReply)],
  ];

describe('the rules of fields', () => {
  test('are rules of docs/rulings.md', () => {
    const ids = [...cited, ...Object.values(CODE_RULES)].flatMap((text) => text.split(' '));
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  });

  test.each(operations)(
    'of %s are given for existing fields only, and for every field',
    (name, request, answer) => {
      const rules = FIELD_RULES[name];
      expect(rules).toBeDefined();
      const paths = { request: request === undefined ? [] : pathsOf(request), answer: pathsOf(answer) };
      for (const kind of ['request', 'answer'] as const) {
        const all = kind === 'answer' ? paths.answer.map((path) => path.toLowerCase()) : paths.request;
        expect(Object.keys(rules?.[kind] ?? {}).filter((path) => path !== '' && !all.includes(path))).toEqual(
          [],
        );
        expect(all.filter((path) => rulesOfField(rules?.[kind] ?? {}, path).length === 0)).toEqual([]);
      }
    },
  );

  test('of a schedule request are those of docs/request-fields.md', () => {
    const rules = FIELD_RULES['PLAT_BP_CalculateRepaymentSchedule']?.request ?? {};
    for (const row of readFieldsDocument().rows) {
      expect({ field: row.field, rules: rulesOfField(rules, `jsonParam.${row.field}`) }).toEqual({
        field: row.field,
        rules: row.rules,
      });
    }
  });

  test('are those of the field that contains it, where it has none of its own', () => {
    const rules = { '': 'A1', 'list[].part': 'B1 B2' };
    expect(rulesOfField(rules, 'list[].part.name')).toEqual(['B1', 'B2']);
    expect(rulesOfField(rules, 'list[].part[]')).toEqual(['B1', 'B2']);
    expect(rulesOfField(rules, 'list[].other')).toEqual(['A1']);
    expect(rulesOfField({}, 'list')).toEqual([]);
  });
});

describe('docs/rulings.md', () => {
  test('has the rules of all subjects', () => {
    expect(known.size).toBe(rulings.match(/<a id="/g)?.length);
    expect(new Set([...known].map((id) => id[0]))).toEqual(new Set('MDHCSRGFBXAPLQNE'));
  });

  test('cites no rule that it lacks', () => {
    const links = groups.flatMap(({ rules }) =>
      rules.flatMap(({ text }) => [...markup(text).matchAll(/#rule-(\w+)/g)]),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.flatMap(([, id = '']) => (known.has(id) ? [] : [id]))).toEqual([]);
  });

  test.each([
    ['| <a id="m1"></a>M2 | Text. | 0.1 |', /not a rule: \| <a id="m1"/],
    ['| <a id="m1"></a>M1 | Text. |', /not a rule/],
    ['| <a id="m1"></a>M1 | A. | 0.1 |\n| <a id="m1"></a>M1 | B. | 0.1 |', /the rule M1 is there twice/],
  ])('is refused with a row such as %s', (rows, message) => {
    expect(() => readRules(`# Rules\n\nText.\n\n## Money (M)\n\n${rows}\n`)).toThrow(message);
  });
});

describe('markup of texts', () => {
  test.each([
    ['`a < b` and *k*-1 of 2 * 3 * 4', '<code>a &lt; b</code> and <em>k</em>-1 of 2 * 3 * 4'],
    ['[limits](#limits) and [calendars](calendars.md)', '<a href="#limits">limits</a> and calendars'],
    [
      '(M6), not `M6` or E.164',
      '(<a class="rule-link" href="#rule-M6">M6</a>), not <code>M6</code> or E.164',
    ],
  ])('of %s', (text, expected) => {
    expect(markup(text)).toBe(expected);
  });

  test('links several rules, one rule, or none', () => {
    expect(ruleLinks([]).markup).toBe('');
    expect(ruleLinks(['S1']).markup).toContain('Rule <a');
    expect(ruleLinks(['S1', 'S4']).markup).toMatch(/Rules <a [^>]+>S1<\/a>, <a [^>]+>S4<\/a>/);
  });
});
