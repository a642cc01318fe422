/** What the offer itself says at each point of the forms (T1, T5). */

import { formatMinorUnits } from '../lending/numbers/money.ts';
import { divideRounded } from '../lending/numbers/rounding.ts';
import type { DocumentSettings, Lender, OfferFacts } from './offer-facts.ts';
import {
  amountPhrase,
  borrowingRatePhrase,
  chargesPhrase,
  createVoice,
  durationPhrase,
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
export function pointTexts(facts: OfferFacts, { language, lender }: DocumentSettings): Texts {
  const voice = createVoice(facts, language);
  return {
    ...partyTexts(voice, facts, lender),
    ...amountTexts(voice, facts),
    ...costTexts(voice, facts),
    ...furtherRateTexts(voice, facts),
    Withdrawal: voice.say('yes'),
    EarlyRepayment: voice.say('yes'),
    Sureties: guaranteesPhrase(voice, facts) ?? null,
    Security: guaranteesPhrase(voice, facts),
  };
}

function partyTexts(voice: Voice, { product, date }: OfferFacts, { name, address, contact }: Lender): Texts {
  const known = [address, contact].filter((line) => line !== undefined);
  const contacts = known.length === 0 ? undefined : known.join('\n');
  const type = voice.say('product', {
    name: product.name,
    code: product.code,
    version: String(product.version),
  });
  return {
    Creditor: name,
    LenderName: name,
    CreditorContact: contacts,
    LenderContact: contacts,
    CreditType: type,
    LoanType: type,
    Produced: voice.say('produced', { date: voice.date(date) }),
  };
}

function amountTexts(voice: Voice, facts: OfferFacts): Texts {
  const { financed, totalPayable, rows, periodicity } = facts;
  const duration = durationPhrase(voice, facts);
  const perUnit = divideRounded(BigInt(totalPayable) * 100n, BigInt(financed), 'HALF_UP');
  return {
    TotalAmountOfCredit: amountPhrase(voice, financed),
    LoanAmount: amountPhrase(voice, financed),
    Duration: duration,
    LoanDuration: duration,
    TotalAmountPayable: amountPhrase(voice, totalPayable),
    TotalToReimburse: voice.say('payable', {
      amount: voice.money(totalPayable),
      ratio: voice.decimal(formatMinorUnits(perUnit, 2)),
    }),
    Instalments: instalmentsPhrase(voice, facts),
    NumberOfPayments: String(rows.length),
    Frequency: voice.frequency(periodicity.name),
    InstalmentValue: instalmentAmountPhrase(voice, facts),
    NoImmediateAmortisation: rows[0]?.principal === 0 && rows.length > 1 ? voice.say('yes') : null,
  };
}

function costTexts(voice: Voice, facts: OfferFacts): Texts {
  const { commissions, insurances, aprc, totalCost, hasUncounted } = facts;
  const charges = [...commissions, ...insurances];
  const list = (listed: typeof charges) => (hasUncounted ? undefined : chargesPhrase(voice, listed));
  const atStart = list(charges.filter(isOnce));
  const rate = borrowingRatePhrase(voice, facts);
  return {
    BorrowingRate: rate,
    InterestRate: rate,
    RateType: rateTypePhrase(voice, facts.rates),
    APR: ratePhrase(voice, aprc),
    APRC: ratePhrase(voice, aprc),
    CostOfCredit: amountPhrase(voice, totalCost),
    CostsAtStart: atStart,
    OneOffCosts: atStart,
    RegularCosts: list(charges.filter((one) => !isOnce(one))),
    Insurances: list([...insurances]),
    UnknownCosts: hasUncounted ? undefined : null,
  };
}

/** Where the rate varies and no higher one or no APRC at it is known, the lender completes the example. */
function furtherRateTexts(voice: Voice, { initialPeriod: initial, highestRate, rates }: OfferFacts): Texts {
  const raised = highestRate && {
    percent: ratePhrase(voice, highestRate.percent),
    row: String(highestRate.fromRow),
    aprc: ratePhrase(voice, highestRate.aprc),
    amount: voice.money(highestRate.payment),
  };
  const unraised = rates.isVariable ? undefined : null;
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
    HigherInstalment: raised === undefined ? unraised : voice.say('higherInstalment', raised),
  };
}
