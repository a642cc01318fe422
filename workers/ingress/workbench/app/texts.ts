/** The texts of the pages, by part of `locales`. The compiler refuses a text that one language lacks. */
import en from './locales/en.json' with { type: 'json' };
import ro from './locales/ro.json' with { type: 'json' };
import { REPORT_TEXTS, type ReportTexts } from '../../../../shared/portfolio/report-words.ts';
import { language, type Language } from './preferences.ts';

type Texts = typeof en;
/** The fields of a schedule request. Fields of list items have the form `Commission.FeeDate`. */
export type FieldName = keyof Texts['fields'];
type Values = Readonly<Record<string, string | number>>;

const TEXTS: Readonly<Record<Language, Texts>> = { en, ro };
/** The help of the fields in Romanian. The English help comes from the schema. */
export const ROMANIAN_HELP: Readonly<Record<string, string>> = ro.help satisfies Record<FieldName, string>;
export const FIELD_KEYS: readonly string[] = Object.keys(en.fields);

/** A function that returns a text of a part and replaces each `{name}` by its value. Its callers render again when the language changes. */
function createTexts<Part extends keyof Texts>(part: Part) {
  return (key: keyof Texts[Part] & string, values: Values = {}): string =>
    fillIn(TEXTS[language.value][part][key] as string, values);
}

export const shellText = createTexts('shell');
export const designText = createTexts('design');
export const schedulesText = createTexts('schedules');
export const groupText = createTexts('groups');
export const productsText = createTexts('products');
export const portfolioText = createTexts('portfolio');
export const messagesText = createTexts('messages');
export const systemText = createTexts('system');

/** A text of the portfolio report. The English texts are those of `npm run recalculate`. */
export function reportText(key: keyof ReportTexts, values: Values = {}): string {
  return fillIn((language.value === 'ro' ? ro.report : REPORT_TEXTS)[key], values);
}

function fillIn(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A text by a name that comes from the engine; undefined if the part has no such name. */
export function knownText(part: keyof Texts, name: string): string | undefined {
  const texts: Readonly<Record<string, string>> = TEXTS[language.value][part];
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** The name of a field in words: `NewField` becomes `New field`. */
export function inWords(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
