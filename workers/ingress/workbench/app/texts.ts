/** The texts of the pages, by part of `locales`. The compiler refuses an English text without a Romanian one. */
import en from './locales/en.json' with { type: 'json' };
import ro from './locales/ro.json' with { type: 'json' };
import { REPORT_TEXTS, type ReportTexts } from '../../../../shared/portfolio/report-words.ts';
import { language, type Language } from './preferences.ts';

type Texts = typeof en;
/** A field of a schedule request. A field of list items is named with its list: `Commission.FeeDate`. */
export type FieldName = keyof Texts['fields'];
type Values = Readonly<Record<string, string | number>>;

const TEXTS: Readonly<Record<Language, Texts>> = { en, ro };
/** The help of the fields in Romanian. The English help is in the schema of the request. */
export const ROMANIAN_HELP: Readonly<Record<string, string>> = ro.help satisfies Record<FieldName, string>;
export const FIELD_KEYS: readonly string[] = Object.keys(en.fields);

/** Creates a function that fills in each `{name}` of a text. Its callers render again when the language changes. */
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

/** A text of the portfolio report. `npm run recalculate` uses the same English texts. */
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
