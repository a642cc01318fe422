/** The fixed texts of the forms, as data with their sources (T2). */

import type { DocumentForm, DocumentLanguage, OfferDocument } from '../api/actions/offer-document-fields.ts';
import type { Periodicity } from '../lending/dates/periodicity.ts';
import consumerForm from './wording/consumer-credit-form.json' with { type: 'json' };
import FREQUENCIES from './wording/frequencies.json' with { type: 'json' };
import informationSheet from './wording/information-sheet.json' with { type: 'json' };
import VALUES from './wording/values.json' with { type: 'json' };

/** `annex` has the languages whose words are those of the Official Journal; other words are ours. */
interface FixedText extends Readonly<Record<DocumentLanguage, string>> {
  readonly annex?: readonly string[];
}

export interface PointWording {
  readonly id: string;
  readonly label: FixedText;
  readonly note?: FixedText;
  /** The note says everything: the point has no text of an offer. */
  readonly isStatement?: boolean;
  /** Left out where it does not apply; any other point without a text is for the lender to complete. */
  readonly isOptional?: boolean;
  /** To be highlighted, as annex II of 2014/17/EU asks for warnings of risks. */
  readonly isWarning?: boolean;
}

export interface SectionWording {
  readonly id: string;
  readonly source: string;
  readonly heading: FixedText;
  readonly startsPage?: boolean;
  readonly table?: 'Instalments' | 'Years';
  readonly points: readonly PointWording[];
}

export interface FormWording {
  readonly source: string;
  readonly title: FixedText;
  readonly sections: readonly SectionWording[];
}

export const FORM_WORDING: Readonly<Record<DocumentForm, FormWording>> = {
  ConsumerCredit: consumerForm as FormWording,
  ESIS: informationSheet as FormWording,
};

export type ValueName = keyof typeof VALUES;

/** A sentence of ours with its `{names}` replaced. */
export function say(
  language: DocumentLanguage,
  name: ValueName,
  parts: Readonly<Record<string, string>> = {},
): string {
  return fill(inflect(language, VALUES[name][language], Number(parts['count'])), parts);
}

const PLURALS = { en: new Intl.PluralRules('en'), ro: new Intl.PluralRules('ro') };

/** `{one|few|other}` is the form of the language for a count; the last is also that of the categories it lacks. */
function inflect(language: DocumentLanguage, text: string, count: number): string {
  const form = ['one', 'few'].indexOf(PLURALS[language].select(count));
  return text.replaceAll(/\{([^{}]*\|[^{}]*)\}/g, (_, forms: string) => forms.split('|').at(form) ?? '');
}

function fill(text: string, parts: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
}

type Words = Readonly<Record<'frequency' | 'adjective' | 'every', string>>;

/** How texts name a frequency; those without a word of their own by count and unit. */
export function frequencyWords(language: DocumentLanguage, { count, unit }: Periodicity): Words {
  const known: Readonly<Record<string, Readonly<Record<DocumentLanguage, Words>>>> = FREQUENCIES;
  const every = say(language, `every${unit}`, { count: String(count) });
  const adjective = say(language, 'regular');
  return known[`${count} ${unit}`]?.[language] ?? { frequency: every, adjective, every };
}

/** A text of a form, which may name the frequency of the payments. */
export function formText(text: FixedText, language: DocumentLanguage, periodicity: Periodicity): string {
  return fill(text[language], frequencyWords(language, periodicity));
}

/** The image of the lender in words. */
export function logoText({ Language, LenderName }: OfferDocument): string {
  return say(Language, 'logo', { name: LenderName ?? '' }).trim();
}

/** Annex I keeps the key information on pages of its own. */
export function startsPage({ Form }: OfferDocument, sectionId: string): boolean {
  return FORM_WORDING[Form].sections.some(({ id, startsPage: isFirst }) => id === sectionId && isFirst);
}
