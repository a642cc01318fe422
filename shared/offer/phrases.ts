/** Phrases of a document in its language: amounts, rates, charges and instalments of an offer. */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import { CHARGE_BASES } from '../lending/charges/charge-base.ts';
import { isSameCode } from '../product/catalogue/catalogue-record.ts';
import type { OfferedCharge } from '../product/simulation/simulation.ts';
import { createFigureFormat, type FigureFormat } from './format-figures.ts';
import type { OfferFacts } from './offer-facts.ts';
import { frequencyText, say, type ValueName } from './wording.ts';

/** How a document speaks: its language, its figures and its currency. */
export interface Voice extends FigureFormat {
  readonly say: (name: ValueName, parts?: Readonly<Record<string, string>>) => string;
  readonly frequency: (periodicity: string) => string;
}

export function createVoice({ currency, digits }: OfferFacts, language: DocumentLanguage): Voice {
  return {
    ...createFigureFormat(language, digits),
    say: (name, parts = {}) => say(language, name, { currency, ...parts }),
    frequency: (periodicity) => frequencyText(language, periodicity),
  };
}

export function amountPhrase(voice: Voice, minor: number): string {
  return voice.say('money', { amount: voice.money(minor) });
}

/** `percent`: plain decimal text; null if there is no rate. */
export function ratePhrase(voice: Voice, percent: string | null): string {
  return percent === null ? voice.say('noRate') : voice.say('percent', { percent: voice.decimal(percent) });
}

export function durationPhrase(voice: Voice, { installmentsNo, periodicity, termEnd }: OfferFacts): string {
  return voice.say('duration', {
    count: String(installmentsNo),
    frequency: voice.frequency(periodicity.name),
    date: voice.date(termEnd),
  });
}

export function instalmentsPhrase(voice: Voice, facts: OfferFacts): string {
  const { rows, installmentsNo, periodicity, installmentAmount } = facts;
  const parts = {
    count: String(installmentsNo),
    frequency: voice.frequency(periodicity.name),
    first: dateOf(voice, rows[0]),
    last: dateOf(voice, rows[installmentsNo - 1]),
  };
  if (installmentAmount === null) return voice.say('varyingInstalments', parts);
  const name = hasCosts(facts) ? 'levelWithCosts' : 'levelInstalments';
  return voice.say(name, { ...parts, amount: voice.money(installmentAmount) });
}

export function instalmentAmountPhrase(voice: Voice, facts: OfferFacts): string {
  const { installmentAmount } = facts;
  if (installmentAmount === null) return voice.say('asInTable');
  return voice.say(hasCosts(facts) ? 'amountWithCosts' : 'money', { amount: voice.money(installmentAmount) });
}

function hasCosts({ rows }: OfferFacts): boolean {
  return rows.some(({ totalInstallment, interest, principal }) => totalInstallment !== interest + principal);
}

function dateOf(voice: Voice, row: OfferFacts['rows'][number] | undefined): string {
  return row === undefined ? '' : voice.date(row.dueDate);
}

export function rateTypePhrase(voice: Voice, { isVariable, ranges, bands }: OfferFacts['rates']): string {
  if (isVariable) return voice.say('variableType');
  return voice.say(ranges.length > 1 || bands.length > 1 ? 'rangesType' : 'fixedType');
}

/** A line for each range of instalments or band of the balance, then the type; else the one rate. */
export function borrowingRatePhrase(voice: Voice, { rates, installmentsNo }: OfferFacts): string {
  const { ranges, bands, first, isVariable } = rates;
  const ofBands = bands.map(({ Value, MinUtilizedAmount }) =>
    voice.say('rateBand', {
      percent: voice.decimal(Value?.toFixed() ?? '0'),
      from: voice.amount(MinUtilizedAmount?.toFixed() ?? '0'),
    }),
  );
  const ofRanges = ranges.map(({ InterestRate, FromInstNo = 1, ToInstNo = installmentsNo }) =>
    voice.say('rateRange', {
      percent: voice.decimal(InterestRate?.toFixed() ?? first),
      from: String(FromInstNo),
      to: String(ToInstNo),
    }),
  );
  const lines = [...ofBands, ...ofRanges];
  if (lines.length > 0) return [...lines, rateTypePhrase(voice, rates)].join('\n');
  return voice.say(isVariable ? 'variableRate' : 'fixedRate', { percent: voice.decimal(first) });
}

export function isOnce({ periodicityType }: OfferedCharge): boolean {
  return periodicityType === 'Once';
}

/** A line for each charge, with its price after discounts. */
export function chargesPhrase(voice: Voice, charges: readonly OfferedCharge[]): string {
  if (charges.length === 0) return voice.say('none');
  const lines = charges.map((charge) => {
    const { name, value, periodicityType } = charge;
    return voice.say('charge', {
      name,
      price:
        value === null
          ? percentagePhrase(voice, charge)
          : voice.say('money', { amount: voice.amount(value.toFixed()) }),
      frequency: voice.frequency(periodicityType),
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
  if (product.guarantees.length === 0) return undefined;
  const lines = product.guarantees.map(({ name, percent }) =>
    percent === null ? name : voice.say('guarantee', { name, percent: voice.decimal(String(percent)) }),
  );
  return lines.join('\n');
}
