import { Decimal } from 'decimal.js';
import type { OfferDocument } from '../../../shared/api/actions/offer-document-fields.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import {
  offerDocumentInSteps,
  type OfferDocumentOutcome,
  type OfferDocumentRequest,
} from '../../../shared/offer/create-offer-document.ts';
import type { Lender } from '../../../shared/offer/offer-facts.ts';
import { catalogueOf, commission, interest, price, rate, type Offering } from './simulated-product.ts';
import { date } from '../builders/lending-loan.ts';

export const DOCUMENT_DAY = date('2026-11-30');
export const LENDER: Lender = {
  name: 'Banca Exemplu',
  address: 'Strada Țepeș 1, București',
  contact: '+40 21 000 00 00',
  logo: undefined,
};

/** The worked loan: 100,000 over 240 months at 4.20 %, with 1,350 paid at the start unless `atStart` says otherwise. */
export function homeLoan(changes: Offering = {}, atStart = 1350): Offering {
  return {
    interests: [interest({ Type: 'Variable', ...rate(4.2) })],
    commissions: [commission({ Name: 'Arrangement', PeriodicityType: 'Once', ...price(atStart) })],
    product: { BankingProductType: 'Mortgage', PaymentScheduleTypes: ['EqualInstallments'] },
    ...changes,
  };
}

export function documentOutcome(
  offering: Offering,
  changes: Partial<OfferDocumentRequest> = {},
  lender = LENDER,
): OfferDocumentOutcome {
  const request = {
    productCode: 'PL',
    amount: new Decimal(100_000),
    loanPeriod: 240,
    scheduleType: 'EqualInstallments',
    ...changes,
  };
  const calendars = { find: (name: string) => findCalendar(name, {}) };
  const context = { catalogue: catalogueOf(offering), calendars, requestDay: DOCUMENT_DAY, lender };
  const steps = offerDocumentInSteps(request, context);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The document of an offering; throws when it is refused. */
export function documentOf(...call: Parameters<typeof documentOutcome>): OfferDocument {
  const outcome = documentOutcome(...call);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.document;
}

/** The text of a point of a document, by its id; throws if it is absent. */
export function pointOf(document: OfferDocument, id: string) {
  const point = document.Sections.flatMap(({ Points }) => Points).find(({ Id }) => Id === id);
  if (point === undefined) throw new Error(`the document has no point ${id}`);
  return point;
}

/** The figures as JSON shows them. */
export function figuresOf({ Figures }: OfferDocument): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(Figures)) as Record<string, unknown>;
}
