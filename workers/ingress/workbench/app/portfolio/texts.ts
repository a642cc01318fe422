import { REPORT_TEXTS, type ReportTexts } from '../../../../../shared/portfolio/report-words.ts';
import { language } from '../preferences.ts';
import { createTexts, fillIn, ROMANIAN_REPORT, type Values } from '../texts.ts';

export const t = createTexts('portfolio');

/** The words of the report, which `npm run recalculate` writes in English. */
export function reportText(key: keyof ReportTexts, values: Values = {}): string {
  return fillIn((language.value === 'ro' ? ROMANIAN_REPORT : REPORT_TEXTS)[key], values);
}
