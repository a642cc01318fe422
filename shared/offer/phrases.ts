/** Phrases of a document in its language: amounts, rates, charges and instalments of an offer. */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import { CHARGE_BASES } from '../lending/charges/charge-base.ts';
import { countCharges } from '../lending/charges/charge-counts.ts';
import { addDays } from '../lending/dates/calendar-date.ts';
import type { Periodicity } from '../lending/dates/periodicity.ts';
import { isSameCode } from '../product/catalogue/catalogue-record.ts';
import type { OfferedCharge } from '../product/simulation/simulation.ts';
import { createFigureFormat, type FigureFormat } from './format-figures.ts';
import type { OfferFacts } from './offer-facts.ts';
import { frequencyWords, say, type ValueName } from './wording.ts';

/** How a document speaks: its language, its figures and its currency. */
export interface Voice extends FigureFormat {
  readonly say: (name: ValueName, parts?: Readonly<Record<string, string>>) => string;
  readonly frequency: (periodicity: Periodicity) => string;
}

export function createVoice({ product, record }: OfferFacts, language: DocumentLanguage): Voice {
  const currency = product.Availability.Currency;
  return {
    ...createFigureFormat(language, record.currencyDigits),
    say: (name, parts = {}) => say(language, name, { currency, ...parts }),
    frequency: (periodicity) => frequencyWords(language, periodicity).frequency,
  };
}

export function amountPhrase(voice: Voice, minor: number): string {
  return voice.say('money', { amount: voice.money(minor) });
}

/** `percent`: plain decimal text; null if there is no rate. */
export function ratePhrase(voice: Voice, percent: string | null): string {
  return percent === null ? voice.say('noRate') : voice.say('percent', { percent: voice.decimal(percent) });
}

export function durationPhrase(voice: Voice, { instalments, periodicity, termEnd }: OfferFacts): string {
  return voice.say('duration', {
    count: String(instalments.length),
    frequency: voice.frequency(periodicity),
    date: voice.date(termEnd),
  });
}

export function examplePhrase(voice: Voice, facts: OfferFacts): string {
  return voice.say('example', {
    amount: voice.money(facts.financed),
    duration: durationPhrase(voice, facts),
    total: voice.money(facts.offer.totalAmountPayable),
    aprc: ratePhrase(voice, facts.offer.aprc),
    start: voice.date(facts.offer.startDate),
  });
}

export function instalmentsPhrase(voice: Voice, facts: OfferFacts): string {
  const { instalments, periodicity } = facts;
  const level = hasCosts(facts) ? 'levelWithCosts' : 'levelInstalments';
  const text = levelPhrase(voice, facts, [level, 'varyingInstalments'], {
    count: String(instalments.length),
    frequency: voice.frequency(periodicity),
    first: dateOf(voice, instalments[0]),
    last: dateOf(voice, instalments.at(-1)),
  });
  return `${text}${residualPhrase(voice, facts)}\n${voice.say('manner')}`;
}

export function instalmentAmountPhrase(voice: Voice, facts: OfferFacts): string {
  const text = levelPhrase(voice, facts, [hasCosts(facts) ? 'amountWithCosts' : 'money', 'asInTable']);
  return `${text}${residualPhrase(voice, facts)}`;
}

/** The first sentence if all instalments but the last have the same payment, and what the last pays; else the second. */
function levelPhrase(
  voice: Voice,
  { instalments, offer }: OfferFacts,
  [level, varying]: readonly [level: ValueName, varying: ValueName],
  parts: Readonly<Record<string, string>> = {},
): string {
  const { installmentAmount } = offer;
  const last = instalments.at(-1)?.pmt ?? null;
  if (installmentAmount === null || !instalments.slice(0, -1).every(({ pmt }) => pmt === installmentAmount))
    return voice.say(varying, parts);
  const text = voice.say(level, { ...parts, amount: voice.money(installmentAmount) });
  return last === null || last === installmentAmount
    ? text
    : voice.say('lastInstalment', { text, amount: voice.money(last) });
}

function residualPhrase(voice: Voice, { instalments, rows }: OfferFacts): string {
  const lines = rows.slice(instalments.length).map(({ totalInstallment, dueDate }) => {
    const parts = { amount: voice.money(totalInstallment), date: voice.date(dueDate) };
    return `\n${voice.say('residualPayment', parts)}`;
  });
  return lines.join('');
}

function hasCosts({ rows }: OfferFacts): boolean {
  return rows.some(({ totalInstallment, interest, principal }) => totalInstallment !== interest + principal);
}

function dateOf(voice: Voice, row: OfferFacts['rows'][number] | undefined): string {
  return row === undefined ? '' : voice.date(row.dueDate);
}

/** Undefined if it is not known which instalments have a variable rate. */
export function rateTypePhrase(
  voice: Voice,
  { variableFrom, variesToEnd, ranges, record }: OfferFacts,
): string | undefined {
  if (variableFrom !== undefined && !variesToEnd) return undefined;
  if (variableFrom !== undefined && variableFrom > 1)
    return voice.say('laterVariableType', { last: String(variableFrom - 1), row: String(variableFrom) });
  if (variableFrom !== undefined) return voice.say('variableType');
  const bands = record.terms.BandedInterestRates ?? [];
  if (bands.length > 1) return voice.say('bandsType');
  return voice.say(ranges.length > 1 ? 'rangesType' : 'fixedType');
}

/** A line for each range of instalments or band of the balance, then the type; else the one rate. */
export function borrowingRatePhrase(voice: Voice, facts: OfferFacts): string {
  const { firstRate, variableFrom, ranges, record } = facts;
  const ofBands = (record.terms.BandedInterestRates ?? []).map(({ Value, MinUtilizedAmount }) =>
    voice.say('rateBand', {
      percent: voice.decimal(Value?.toFixed() ?? '0'),
      from: voice.amount(MinUtilizedAmount?.toFixed() ?? '0'),
    }),
  );
  const ofRanges = ranges.map(({ rate, from, to }) =>
    voice.say('rateRange', {
      percent: voice.decimal(rate?.toFixed() ?? firstRate),
      from: String(from),
      to: String(to),
    }),
  );
  const lines = [...ofBands, ...ofRanges];
  if (lines.length > 0) return [...lines, rateTypePhrase(voice, facts) ?? []].flat().join('\n');
  const type = variableFrom === undefined ? 'fixedRate' : 'variableRate';
  return voice.say(type, { percent: voice.decimal(firstRate) });
}

export function isOnce({ periodicity }: OfferedCharge): boolean {
  return periodicity.unit === 'Once';
}

/** Longer than the last due date is shifted for holidays. */
const DAYS_OF_SHIFT = 10;

/** The first instalment that may collect a charge, after those that waive it; undefined if none does (F3). */
function firstRowOf(charge: OfferedCharge, { record, instalments }: OfferFacts): number | undefined {
  const { id, date: firstDate, periodicity, place, isUpfront } = charge;
  if (isOnce(charge) || !place.inSchedule) return 1;
  const { GracePeriodFee: waived = 0 } = record.terms.Commission?.find(({ FeeId }) => FeeId === id) ?? {};
  const dueDates = [addDays(instalments.at(-1)?.dueDate ?? firstDate, DAYS_OF_SHIFT)];
  const whole = { start: firstDate, rowCount: 1, isRecalculation: false, isInAdvance: false };
  const dated = { periodicity, firstDate, isUpfront: isUpfront === true };
  const [count = 0] = countCharges({ ...whole, dueDates }, dated);
  return count > 0 && waived < instalments.length ? waived + 1 : undefined;
}

/** A line for each charge that is collected, with its price after discounts. */
export function chargesPhrase(voice: Voice, facts: OfferFacts, charges: readonly OfferedCharge[]): string {
  const lines = charges.flatMap((charge) => {
    const { name, value, periodicity } = charge;
    const row = firstRowOf(charge, facts);
    if (row === undefined) return [];
    return voice.say(row > 1 ? 'laterCharge' : 'charge', {
      row: String(row),
      name,
      price:
        value === null
          ? percentagePhrase(voice, charge)
          : voice.say('money', { amount: voice.amount(value.toFixed()) }),
      frequency: voice.frequency(periodicity),
    });
  });
  return lines.length === 0 ? voice.say('none') : lines.join('\n');
}

function percentagePhrase(voice: Voice, charge: OfferedCharge): string {
  const { percent, appliedTo, perAnnum } = charge;
  const base = CHARGE_BASES.find((known) => isSameCode(known, appliedTo)) ?? 'FinancedAmount';
  const isAnnual = perAnnum && !isOnce(charge);
  return voice.say(isAnnual ? 'annualPercentage' : 'percentage', {
    percent: voice.decimal(percent?.toFixed() ?? '0'),
    base: voice.say(base),
  });
}

/** A line for each guarantee; undefined without any. */
export function guaranteesPhrase(voice: Voice, { product }: OfferFacts): string | undefined {
  if (product.Guarantees.length === 0) return undefined;
  const lines = product.Guarantees.map(
    ({ ProductGuaranteeName: name, MaxAcceptedCoveringPercent: percent }) =>
      percent === null ? name : voice.say('guarantee', { name, percent: voice.decimal(String(percent)) }),
  );
  return lines.join('\n');
}
