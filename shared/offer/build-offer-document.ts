/** Builds the document of an offer: the points of the form, its amortisation table, and what the lender must add (T1). */

import type {
  DocumentForm,
  DocumentLanguage,
  DocumentSection,
  DocumentTable,
  OfferDocument,
} from '../api/actions/offer-document-fields.ts';
import { formatCalendarDate } from '../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../lending/numbers/money.ts';
import { findProductType } from '../lending/schedule-types/schedule-type.ts';
import { createFigureFormat } from './format-figures.ts';
import type { DocumentSettings, OfferFacts } from './offer-facts.ts';
import { pointTexts, type PointText } from './point-texts.ts';
import { FORM_WORDING, formText, say, type PointWording, type SectionWording } from './wording.ts';
import { instalmentLines, yearLines, type TableLine } from './year-table.ts';

/** Mortgages have the ESIS, all other products the consumer form (T1). */
export function formOf(productType: string): DocumentForm {
  return findProductType(productType) === 'MG' ? 'ESIS' : 'ConsumerCredit';
}

/** The ids of the points of a form, for which a request may send texts. */
export function pointIds(form: DocumentForm): readonly string[] {
  return FORM_WORDING[form].sections.flatMap(({ points }) => points.map(({ id }) => id));
}

/** The text of an entry takes the place of that of the offer. `Missing` lists the points that have neither. */
export function buildOfferDocument(
  form: DocumentForm,
  facts: OfferFacts,
  settings: DocumentSettings,
): OfferDocument {
  const { language, lender, entries } = settings;
  const { source, title, sections } = FORM_WORDING[form];
  const sent = Object.fromEntries(entries.map(({ Point, Text }) => [Point, Text]));
  const texts = { ...pointTexts(form, facts, settings), ...sent };
  const built = sections
    .map((section) => buildSection(section, { facts, language, texts }))
    .filter(({ Points }, at) => Points.length > 0 || sections[at]?.points.length === 0);
  const numbered = renumber(built);
  return {
    Form: form,
    Language: language,
    Title: title[language],
    Source: source,
    Date: formatCalendarDate(facts.date),
    LenderName: lender.name ?? null,
    Logo: lender.logo ?? null,
    ProductCode: facts.product.Code,
    ProductVersion: facts.offer.productVersion,
    Currency: facts.product.Availability.Currency,
    Figures: figuresOf(facts),
    Sections: numbered,
    Missing: numbered.flatMap(({ Points }) =>
      Points.filter(({ IsMissing }) => IsMissing).map(({ Id }) => Id),
    ),
  };
}

/** Closes the gaps that sections leave which do not apply (annex II, part A). */
function renumber(sections: readonly DocumentSection[]): DocumentSection[] {
  let number = 0;
  return sections.map((section) => {
    const Heading = section.Heading.replace(/^\d+(?=\.)/, () => String((number += 1)));
    return { ...section, Heading };
  });
}

interface Building {
  readonly facts: OfferFacts;
  readonly language: DocumentLanguage;
  readonly texts: Readonly<Record<string, PointText>>;
}

function buildSection(section: SectionWording, building: Building): DocumentSection {
  const { facts, language } = building;
  const { id, source, heading, table } = section;
  return {
    Id: id,
    Heading: heading[language],
    Source: source,
    Points: section.points.flatMap((point) => buildPoint(point, building) ?? []),
    Table: table === undefined ? null : buildTable(table, facts, language),
  };
}

function buildPoint(point: PointWording, { facts, language, texts }: Building) {
  const { id, label, note, isStatement = false, isOptional = false, isWarning = false } = point;
  const text = texts[id];
  if (text === null || (text === undefined && isOptional)) return undefined;
  const isMissing = text === undefined && !isStatement;
  const words = (fixed: typeof label) => formText(fixed, language, facts.periodicity);
  return {
    Id: id,
    Label: words(label),
    Note: note === undefined ? null : words(note),
    Text: isMissing ? say(language, 'toComplete') : (text ?? null),
    IsMissing: isMissing,
    IsWarning: isWarning,
  };
}

function buildTable(
  table: NonNullable<SectionWording['table']>,
  facts: OfferFacts,
  language: DocumentLanguage,
): DocumentTable {
  const lines = table === 'Years' ? yearLines(facts.rows, facts.periodicity) : instalmentLines(facts.rows);
  const { money, shortDate } = createFigureFormat(language, facts.record.currencyDigits);
  const columns = [
    [
      'columnPeriod',
      ({ kind, number }: TableLine) => say(language, `line-${kind}`, { number: String(number) }),
    ],
    ['columnDate', ({ dueDate }: TableLine) => (dueDate === undefined ? '' : shortDate(dueDate))],
    ['columnInstalment', ({ total }: TableLine) => money(total)],
    ['columnInterest', ({ interest }: TableLine) => money(interest)],
    ['columnCosts', ({ costs }: TableLine) => money(costs)],
    ['columnCapital', ({ principal }: TableLine) => money(principal)],
    ['columnBalance', ({ balance }: TableLine) => money(balance)],
  ] as const;
  return {
    Caption: say(language, 'caption', { currency: facts.product.Availability.Currency }),
    Columns: columns.map(([name]) => say(language, name)),
    Lines: lines.map((line) => ({
      Kind: line.kind,
      IsHypothetical: table === 'Years' && line.lastNumber >= (facts.variableFrom ?? Infinity),
      Cells: columns.map(([, cell]) => cell(line)),
    })),
  };
}

function figuresOf(facts: OfferFacts): OfferDocument['Figures'] {
  const { offer, record, initialPeriod: initial, highestRate: highest } = facts;
  const major = (minor: number): unknown => JSON.rawJSON(formatMinorUnits(minor, record.currencyDigits));
  return {
    TotalAmountOfCredit: major(facts.financed),
    TotalUpfront: major(offer.totalUpfront),
    TotalCostOfCredit: major(offer.totalCostOfCredit),
    TotalAmountPayable: major(offer.totalAmountPayable),
    APRC: offer.aprc,
    InstallmentAmount: offer.installmentAmount === null ? null : major(offer.installmentAmount),
    InitialPeriodRows: initial?.rows ?? null,
    InitialPeriodAPRC: initial?.aprc ?? null,
    InitialPeriodRepaid: !initial ? null : major(initial.repaid),
    HighestRate: highest?.percent ?? null,
    HighestRateFrom: highest?.fromRow ?? null,
    HighestRateAPRC: highest?.aprc ?? null,
    HighestInstallmentAmount: highest?.payment === undefined ? null : major(highest.payment.amount),
  };
}
