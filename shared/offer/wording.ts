/** The fixed texts of the forms, as data with their sources (T2). */

import type { DocumentForm, DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import consumerForm from './wording/consumer-credit-form.json' with { type: 'json' };
import informationSheet from './wording/information-sheet.json' with { type: 'json' };
import VALUES from './wording/values.json' with { type: 'json' };

type Origin = 'annex' | 'unchecked' | 'own';

export interface FixedText {
  readonly en: string;
  readonly ro: string;
  readonly origin: Readonly<Record<DocumentLanguage, Origin>>;
}

export interface PointWording {
  readonly id: string;
  readonly label: FixedText;
  readonly note?: FixedText;
  /** The note says everything: the point has no text of an offer. */
  readonly isStatement?: boolean;
  /** Left out where it does not apply; any other point without a text is for the lender to complete. */
  readonly isOptional?: boolean;
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
  return VALUES[name][language].replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
}

export function frequencyText(language: DocumentLanguage, periodicity: string): string {
  return Object.hasOwn(VALUES, periodicity) ? VALUES[periodicity as ValueName][language] : periodicity;
}
