/** The most expensive requests that the limits of E6 and M6 allow, and some that they do not, as callers send them. */

const LOAN = {
  ScheduleType: 'EqualInstallments',
  Amount: 1_000_000_000,
  InstallmentsNo: 1_200,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 5,
  ActivationDate: '2025-01-01',
};
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.parse('2025-01-05');
const BAND = LOAN.Amount / 200;

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

export const commissions = (count: number, changes: object = {}) =>
  many(count, (index) => ({
    SourceValue: 1,
    FeePeriodicityType: 'Monthly',
    FeeDate: '2025-01-01',
    FeeName: `F${index}`,
    ...changes,
  }));

const insurances = (count: number) =>
  many(count, (index) => ({
    SourceValue: 1,
    InsurancePeriodicityType: 'Monthly',
    InsuranceDate: '2025-01-01',
    InsuranceName: `I${index}`,
  }));

const dayAfter = (days: number): string =>
  new Date(FIRST_DAY_MS + days * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length);

const PREPAYMENTS = many(1_200, (index) => ({ Date: dayAfter(index * 30), Amount: 100 }));

/** 1,200 rows, 200 commissions and 200 insurances, all explained: a request of 41 KB with a reply of 22 MB. */
export const TOO_LARGE_REPLY = {
  ...LOAN,
  Commission: commissions(200),
  Insurance: insurances(200),
  Explain: true,
};

/** The same with a single commission: the reply fits. */
export const EXPLAINED_LOAN = { ...LOAN, Explain: true };

/** Accepted requests that take at least 300 ms of processor time each. */
export const EXPENSIVE_REQUESTS: Readonly<Record<string, object>> = {
  'explanations that fill a reply': { ...LOAN, Commission: commissions(120), Explain: true },
  'a payment solved again after each of 1,200 prepayments, in 200 bands': {
    ...LOAN,
    InterestPercent: undefined,
    BandedInterestRates: many(200, (index) => ({
      MinUtilizedAmount: index * BAND,
      ...(index < 199 ? { MaxUtilizedAmount: (index + 1) * BAND } : {}),
      Value: 5 + index / 100,
    })),
    EarlyRepayments: PREPAYMENTS,
  },
  'an effective rate for each of 1,200 installments, with as many prepayments': {
    ...LOAN,
    ScheduleType: 'EffectiveRate',
    MultipleInterestRates: many(1_200, (index) => ({
      FromInstNo: index + 1,
      ToInstNo: index + 1,
      InterestRate: 5 + (index % 7) / 1_000,
    })),
    EarlyRepayments: PREPAYMENTS,
  },
};
