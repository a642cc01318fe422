/** Creates the document of one offer of a product (T1): simulates it, with the further rates of a mortgage (T5). */

import { Decimal } from 'decimal.js';
import {
  DOCUMENT_FORMATS,
  DOCUMENT_LANGUAGES,
  type DocumentForm,
  type DocumentFormat,
  type DocumentLanguage,
  type OfferDocument,
} from '../api/actions/offer-document-fields.ts';
import { completeRanges } from '../lending/annual-rate/second-rate-terms.ts';
import type { CalendarDate } from '../lending/dates/calendar-date.ts';
import { dayAfterPeriods, findPeriodicity, type Periodicity } from '../lending/dates/periodicity.ts';
import { hasChargeFormulas } from '../lending/schedule-types/schedule-type.ts';
import type { RepaymentScheduleRequest } from '../lending/request/repayment-schedule-request.ts';
import { checkName } from '../lending/request/field-checks.ts';
import { Validation, type RequestWarning } from '../lending/request/validation.ts';
import { isSameCode } from '../product/catalogue/catalogue-record.ts';
import type { ProductRecord } from '../product/catalogue/product-record.ts';
import { isProduct, selectProduct } from '../product/look-up/product-look-ups.ts';
import {
  simulateInSteps,
  type OfferVariation,
  type SimulateContext,
} from '../product/simulation/simulate-product.ts';
import type {
  SimulateRequest,
  SimulationOutcome,
  SimulationRecord,
} from '../product/simulation/simulation.ts';
import { findOfferedRate, furtherRates, type BasicOffer, type HighestRateRequest } from './further-rates.ts';
import { buildOfferDocument, formOf, pointIds } from './build-offer-document.ts';
import type { DocumentEntry, Lender, OfferFacts } from './offer-facts.ts';

export interface OfferDocumentRequest extends SimulateRequest, HighestRateRequest {
  /** @default en */
  readonly Language?: string | undefined;
  /** @default json */
  readonly Format?: string | undefined;
  /** With InterestCommissionItemId: the offer, if the simulation has several. */
  readonly InterestId?: string | undefined;
  readonly InterestCommissionItemId?: string | undefined;
  readonly Entries?: readonly DocumentEntry[] | undefined;
}

export type OfferDocumentOutcome =
  | {
      readonly kind: 'document';
      readonly document: OfferDocument;
      readonly format: DocumentFormat;
      readonly record: SimulationRecord;
      readonly warnings: readonly RequestWarning[];
    }
  | Extract<SimulationOutcome, { kind: 'refused' }>;

/** Yields the remaining rows, as {@link simulateInSteps} does. */
export function* offerDocumentInSteps(
  request: OfferDocumentRequest,
  context: SimulateContext & { readonly lender: Lender },
): Generator<number, OfferDocumentOutcome, undefined> {
  const offered = { ...request, Offer: true, Explain: undefined, Income: undefined };
  const simulated = yield* simulateInSteps(offered, context);
  const day = request.Date ?? context.requestDay;
  const code = { field: 'productCode', value: request.productCode };
  const product = selectProduct({ code }, context.catalogue, day);
  if (!isProduct(product)) return { kind: 'refused', faults: product.faults, unknownProduct: true };
  const validation = new Validation();
  const form = formOf(product.BankingProductType);
  const checked = checkFields(request, form, validation);
  if (simulated.kind === 'refused')
    return { ...simulated, faults: [...simulated.faults, ...validation.faults] };
  const at = chooseRecord(request, simulated.records, validation);
  const record = simulated.records[at];
  if (record === undefined || checked === undefined || validation.faults.length > 0)
    return { kind: 'refused', faults: validation.faults };
  const again = function* (changeTerms: OfferVariation['changeTerms']) {
    const variation = { offer: at, changeTerms };
    const varied = yield* simulateInSteps(offered, { ...context, variation });
    return varied.kind === 'simulation' ? varied.records[0] : undefined;
  };
  const hasUncounted = simulated.warnings.some(isOfUncountedCharge);
  const hasSentRates = (request.jsonMultipleInterestRates?.length ?? 0) > 0;
  const known = { producedOn: context.requestDay, date: day, hasUncounted, hasSentRates };
  const basic = offerFacts(record, product, context.catalogue, known);
  const further = form === 'ESIS' ? yield* furtherRates(request, { ...basic, again }, validation) : undefined;
  warnWithoutEffect(request, form, validation);
  const { language, format } = checked;
  const document = buildOfferDocument(
    form,
    { ...basic.facts, ...further },
    { language, lender: context.lender, entries: request.Entries ?? [] },
  );
  if (format === 'pdf') checkPrintable(document, validation);
  if (validation.faults.length > 0) return { kind: 'refused', faults: validation.faults };
  const warnings = [...simulated.warnings, ...validation.warnings];
  return { kind: 'document', document, format, record, warnings };
}

function checkFields(
  { Language = 'en', Format = 'json', Entries = [], HighestRateFrom, loanPeriod }: OfferDocumentRequest,
  form: DocumentForm,
  validation: Validation,
): { readonly language: DocumentLanguage; readonly format: DocumentFormat } | undefined {
  const language = checkName(validation, 'Language', Language, DOCUMENT_LANGUAGES);
  const format = checkName(validation, 'Format', Format, DOCUMENT_FORMATS);
  if (form === 'ESIS' && HighestRateFrom !== undefined && HighestRateFrom > loanPeriod)
    validation.reject('HighestRateFrom', 'out-of-range', `must be a whole number from 1 to ${loanPeriod}`);
  const points = pointIds(form);
  for (const [index, { Point, Text }] of Entries.entries()) {
    if (UNSAFE.test(Text)) validation.reject(`Entries[${index}].Text`, 'not-allowed', SAFE_TEXT);
    if (points.includes(Point)) continue;
    validation.reject(`Entries[${index}].Point`, 'unknown-value', `must be one of ${points.join(', ')}`);
  }
  return language && format && { language, format };
}

const UNSAFE = /(?!\n)[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const SAFE_TEXT =
  'must have no control characters but line feeds, and none that change the direction of text';
/** Not among the letters and signs that the fonts of the PDF have. */
const UNPRINTABLE =
  /[^ -~\u00a0-\u02e9\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0525\u1e00-\u1efb\u2010-\u2064\u20a0-\u20b5\u2150-\u2185\u2190-\u2311]/u;

/** Entries, and names of the lender and the catalogue, can have characters that a PDF cannot show. */
function checkPrintable(document: OfferDocument, validation: Validation): void {
  const code = UNPRINTABLE.exec(JSON.stringify(document))?.[0].codePointAt(0)?.toString(16);
  if (code === undefined) return;
  const message = `must be json or html: the fonts of a PDF lack characters of the document, such as U+${code}`;
  validation.reject('Format', 'not-allowed', message);
}

function isWanted(id: string, wanted: string | undefined): boolean {
  return wanted === undefined || isSameCode(id, wanted);
}

/** The index of the only offer, or of the one with the ids of the request; -1 with a fault if there is not just one. */
function chooseRecord(
  { InterestId, InterestCommissionItemId }: OfferDocumentRequest,
  records: readonly SimulationRecord[],
  validation: Validation,
): number {
  const ofInterest = records.filter(({ interestId }) => isWanted(interestId, InterestId));
  const matches = ofInterest.filter((one) =>
    isWanted(one.interestCommissionItemId, InterestCommissionItemId),
  );
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return records.indexOf(only);
  // The sent id that matches nothing, else one that differs between the offers that are left.
  const left = [matches, ofInterest].find((some) => some.length > 0) ?? records;
  const differs = others.some(({ interestId }) => interestId !== only?.interestId);
  const field = ofInterest.length === 0 || differs ? 'InterestId' : 'InterestCommissionItemId';
  const ids = left.map((one) => (field === 'InterestId' ? one.interestId : one.interestCommissionItemId));
  const allowed = [...new Set(ids)].join(', ');
  validation.reject(field, 'not-allowed', `must choose one of ${left.length} offers: ${allowed}`);
  return -1;
}

function offerFacts(
  record: SimulationRecord,
  product: ProductRecord,
  catalogue: SimulateContext['catalogue'],
  known: Pick<OfferFacts, 'date' | 'producedOn' | 'hasUncounted' | 'hasSentRates'>,
): BasicOffer {
  const { terms, offer } = record;
  const [down, ...rows] = record.rows;
  const periodicity = findPeriodicity(terms.PeriodicityType, catalogue.lending.periodicities);
  if (offer === undefined || down === undefined || periodicity === undefined)
    throw new Error('a simulated offer has figures, rows and a known periodicity');
  const item = product.InterestsAndCommissions.find(({ Id }) => Id === record.interestCommissionItemId);
  const instalments = rows.filter(({ InstallmentNo }) => InstallmentNo <= terms.InstallmentsNo);
  const last = instalments.length;
  const list = catalogue.list('interest-list', item?.InterestList ?? null);
  const rate = findOfferedRate(list, record.interestId, { count: last, ...known });
  const facts = {
    ...known,
    product,
    record,
    offer,
    periodicity,
    variableFrom: rate.variable.length === 0 ? undefined : rate.firstVariableRow,
    variesToEnd: rate.variesToEnd,
    hasChargeFormulas: hasChargeFormulas(catalogue.lending.findScheduleType(terms.ScheduleType)),
    ranges: completeRanges(terms.MultipleInterestRates ?? [], last)
      .filter(({ from }) => from <= last)
      .map((range) => ({ ...range, to: Math.min(range.to, last) })),
    firstRate: new Decimal(record.interestPercent.replace('%', '')).toFixed(),
    financed: down.remainingValue - down.principal,
    rows,
    instalments,
    termEnd: findTermEnd(terms, periodicity, instalments),
  };
  return { facts, rate };
}

/** In advance a period after the last instalment (B7), before any shift for a holiday; else the last due date. */
function findTermEnd(
  { InterestType, InstallmentDay, FirstDueDate, ActivationDate }: RepaymentScheduleRequest,
  periodicity: Periodicity,
  instalments: OfferFacts['instalments'],
): CalendarDate {
  const lastDue = instalments.at(-1)?.dueDate;
  const from = FirstDueDate ?? ActivationDate;
  if (from === undefined || lastDue === undefined)
    throw new Error('a simulated offer has a start and its rows');
  const periods = FirstDueDate === undefined ? instalments.length : instalments.length - 1;
  return InterestType === 1 ? dayAfterPeriods(periodicity, from, periods, InstallmentDay) : lastDue;
}

function isOfUncountedCharge({ code, path }: RequestWarning): boolean {
  return code === 'not-counted' && /^(Commission|Insurance)\./.test(path);
}

/** No form compares an offer with limits (Q9), and only the ESIS has a highest rate (T5). */
function warnWithoutEffect(request: OfferDocumentRequest, form: DocumentForm, validation: Validation): void {
  const ofRates = form === 'ESIS' ? [] : (['HighestRate', 'HighestRateFrom'] as const);
  for (const field of ['Income', ...ofRates] as const)
    if (request[field] !== undefined) validation.warn(field);
}
