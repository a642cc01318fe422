/** Phrases of a document in its language: amounts, rates, charges and instalments of an offer. */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import { CHARGE_BASES } from '../lending/charges/charge-base.ts';
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
  return `${text}\n${voice.say('manner')}`;
}

export function instalmentAmountPhrase(voice: Voice, facts: OfferFacts): string {
  return levelPhrase(voice, facts, [hasCosts(facts) ? 'amountWithCosts' : 'money', 'asInTable']);
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

function hasCosts({ rows }: OfferFacts): boolean {
  return rows.some(({ totalInstallment, interest, principal }) => totalInstallment !== interest + principal);
}

function dateOf(voice: Voice, row: OfferFacts['rows'][number] | undefined): string {
  return row === undefined ? '' : voice.date(row.dueDate);
}

export function rateTypePhrase(voice: Voice, { variableFrom, ranges, record }: OfferFacts): string {
  if (variableFrom !== undefined) return voice.say('variableType');
  const bands = record.terms.BandedInterestRates ?? [];
  return voice.say(ranges.length > 1 || bands.length > 1 ? 'rangesType' : 'fixedType');
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
  if (lines.length > 0) return [...lines, rateTypePhrase(voice, facts)].join('\n');
  const type = variableFrom === undefined ? 'fixedRate' : 'variableRate';
  return voice.say(type, { percent: voice.decimal(firstRate) });
}

export function isOnce({ periodicity }: OfferedCharge): boolean {
  return periodicity.unit === 'Once';
}

/** A line for each charge, with its price after discounts. */
export function chargesPhrase(voice: Voice, charges: readonly OfferedCharge[]): string {
  if (charges.length === 0) return voice.say('none');
  const lines = charges.map((charge) => {
    const { name, value, periodicity } = charge;
    return voice.say('charge', {
      name,
      price:
        value === null
          ? percentagePhrase(voice, charge)
          : voice.say('money', { amount: voice.amount(value.toFixed()) }),
      frequency: voice.frequency(periodicity),
    });
  });
  return lines.join('\n');
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
