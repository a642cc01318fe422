/** What the offer itself says at each point of the forms (T1, T5). */

import { Decimal } from 'decimal.js';
import type { DocumentForm } from '../api/actions/offer-document-fields.ts';
import { formatMinorUnits, scaleToInteger } from '../lending/numbers/money.ts';
import { divideRounded } from '../lending/numbers/rounding.ts';
import type { OfferedCharge } from '../product/simulation/simulation.ts';
import type { DocumentSettings, Lender, OfferFacts } from './offer-facts.ts';
import {
  amountPhrase,
  borrowingRatePhrase,
  chargesPhrase,
  createVoice,
  durationPhrase,
  examplePhrase,
  guaranteesPhrase,
  instalmentAmountPhrase,
  instalmentsPhrase,
  isOnce,
  ratePhrase,
  rateTypePhrase,
  type Voice,
} from './phrases.ts';

/** Undefined: the lender completes the point. Null: it does not apply, and is left out. */
export type PointText = string | null | undefined;

type Texts = Readonly<Record<string, PointText>>;

/** The texts by the id of their point. A point without one here is the lender's to complete. */
export function pointTexts(form: DocumentForm, facts: OfferFacts, settings: DocumentSettings): Texts {
  const voice = createVoice(facts, settings.language);
  return {
    ...partyTexts(voice, facts, settings.lender),
    ...amountTexts(voice, facts),
    ...costTexts(voice, form, facts),
    ...furtherRateTexts(voice, facts),
    ...interestOnlyTexts(voice, facts),
    Withdrawal: voice.say('yes'),
    EarlyRepayment: voice.say('yes'),
    Security: guaranteesPhrase(voice, facts),
  };
}

function partyTexts(
  voice: Voice,
  { product, offer, producedOn }: OfferFacts,
  { name, address, contact }: Lender,
): Texts {
  const contacts = [address, contact].filter((line) => line !== undefined);
  return {
    LenderName: name,
    LenderContact: contacts.length === 0 ? undefined : contacts.join('\n'),
    CreditType: voice.say('product', {
      name: product.Name,
      code: product.Code,
      version: String(offer.productVersion),
    }),
    Produced: voice.say('produced', { date: voice.date(producedOn) }),
  };
}

function amountTexts(voice: Voice, facts: OfferFacts): Texts {
  const { financed, rows, periodicity } = facts;
  const { totalAmountPayable } = facts.offer;
  const perUnit = divideRounded(BigInt(totalAmountPayable) * 100n, BigInt(financed), 'HALF_UP');
  return {
    TotalAmountOfCredit: amountPhrase(voice, financed),
    Duration: durationPhrase(voice, facts),
    TotalAmountPayable: amountPhrase(voice, totalAmountPayable),
    TotalToReimburse: voice.say('payable', {
      amount: voice.money(totalAmountPayable),
      ratio: voice.decimal(formatMinorUnits(perUnit, 2)),
    }),
    Instalments: instalmentsPhrase(voice, facts),
    NumberOfPayments: String(rows.length),
    Frequency: voice.frequency(periodicity),
    InstalmentValue: instalmentAmountPhrase(voice, facts),
    NoImmediateAmortisation: rows[0]?.principal === 0 && rows.length > 1 ? voice.say('yes') : null,
  };
}

/** The ESIS lists what its APRC comprises; the consumer form lists all, and its insurances at a point of their own. */
function costTexts(voice: Voice, form: DocumentForm, facts: OfferFacts): Texts {
  const { offer, hasUncounted, hasChargeFormulas } = facts;
  const { commissions, insurances } = facts.record;
  const all = [...commissions, ...insurances];
  const isListed = ({ place }: OfferedCharge) => form === 'ConsumerCredit' || place.inAprc;
  const regular = (form === 'ESIS' ? all : commissions).filter((one) => !isOnce(one) && isListed(one));
  const excluded = all.filter(({ place }) => !place.inAprc);
  const names = insurances.flatMap(({ isCompulsory, name }) => (isCompulsory ? [name] : [])).join(', ');
  const list = (listed: readonly OfferedCharge[]) =>
    hasUncounted ? undefined : chargesPhrase(voice, facts, listed);
  return {
    BorrowingRate: borrowingRatePhrase(voice, facts),
    RateType: rateTypePhrase(voice, facts),
    RateRevision: facts.variableFrom === undefined ? null : undefined,
    APRC: ratePhrase(voice, offer.aprc),
    TotalCostOfCredit: amountPhrase(voice, offer.totalCostOfCredit),
    CostsAtStart: list(all.filter((one) => isOnce(one) && isListed(one))),
    RegularCosts: hasChargeFormulas ? undefined : list(regular),
    Insurances: hasChargeFormulas ? undefined : list(insurances),
    ExcludedCosts: excluded.length === 0 ? null : chargesPhrase(voice, facts, excluded),
    CompulsoryInsurance: hasUncounted || names === '' ? undefined : voice.say('compulsory', { names }),
    RepresentativeExample: hasUncounted ? undefined : examplePhrase(voice, facts),
    UnknownCosts: hasUncounted ? undefined : null,
  };
}

/** Where the rate varies and no higher one or no APRC at it is known, the lender completes the example. */
function furtherRateTexts(
  voice: Voice,
  { initialPeriod: initial, highestRate, variableFrom, variesToEnd }: OfferFacts,
): Texts {
  const raised = highestRate && {
    percent: ratePhrase(voice, highestRate.percent),
    row: String(highestRate.fromRow),
    aprc: ratePhrase(voice, highestRate.aprc),
    amount: voice.money(highestRate.payment?.amount ?? 0),
  };
  const higher = highestRate?.payment?.isLast === true ? 'higherLastInstalment' : 'higherInstalment';
  const unraised = variableFrom === undefined ? null : undefined;
  return {
    InitialPeriodAPRC:
      initial &&
      voice.say('initialPeriod', {
        aprc: ratePhrase(voice, initial.aprc),
        rows: String(initial.rows),
        repaid: voice.money(initial.repaid),
      }),
    VariableRate:
      raised === undefined || highestRate?.aprc === null ? unraised : voice.say('highestRate', raised),
    IllustrativeTotal: unraised,
    TableVaries:
      variableFrom === undefined || !variesToEnd
        ? unraised
        : voice.say('tableVaries', { row: String(variableFrom) }),
    HigherInstalment: raised && highestRate?.payment ? voice.say(higher, raised) : unraised,
  };
}

/** The capital that is owed at the end because the instalments do not repay it: all, or the residual value (B1). */
function interestOnlyTexts(voice: Voice, { instalments, rows, record }: OfferFacts): Texts {
  const before = instalments.slice(0, -1);
  const isAll = before.length > 0 && before.every(({ principal }) => principal === 0);
  const { terms, currencyDigits } = record;
  const owed = isAll
    ? rows.slice(before.length).reduce((sum, { principal }) => sum + principal, 0)
    : Number(scaleToInteger(terms.ResidualValue ?? new Decimal(0), currencyDigits));
  if (owed === 0) return { InterestOnly: null, InterestOnlyRepayment: null };
  const amount = { amount: voice.money(owed) };
  return {
    InterestOnly: voice.say(isAll ? 'interestOnly' : 'partlyInterestOnly', amount),
    InterestOnlyRepayment: voice.say(isAll ? 'repayInterestOnly' : 'repayPartlyInterestOnly', amount),
  };
}
