/** Compares the cost of random offers with the reference, to which the test gives the charges that count (Q8). */

import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { referenceOffer } from '../../support/reference/offer.ts';
import {
  guid,
  commission,
  insurance,
  interest,
  rate,
  simulated,
  SIMULATION_DAY,
} from '../../support/worlds/simulated-product.ts';

const OFFERS = 400;
const MAX_TEST_MS = 120_000;
const SEED = 20_261_130;
const MIN_CALCULATED_SHARE = 0.9;

const randomCharge = fc.record({
  isInsurance: fc.boolean(),
  periodicity: fc.constantFrom('Once', 'Monthly', 'Quarterly', 'Annual'),
  isPercent: fc.boolean(),
  price: fc.integer({ min: 0, max: 300 }).map((hundredths) => hundredths / 100),
  base: fc.constantFrom(null, 'RemainingValue'),
  isUpfront: fc.boolean(),
  compulsory: fc.boolean(),
  included: fc.boolean(),
  inAprc: fc.constantFrom(undefined, null, true, false),
});
type RandomCharge = typeof randomCharge extends fc.Arbitrary<infer Charge> ? Charge : never;

const randomOffer = fc.record({
  charges: fc.array(randomCharge, { maxLength: 4 }),
  amount: fc.integer({ min: 10_000, max: 9_000_000 }).map((cents) => new Decimal(cents).div(100)),
  loanPeriod: fc.integer({ min: 3, max: 40 }),
  percent: fc.integer({ min: 0, max: 3_000 }).map((hundredths) => hundredths / 100),
  periodicity: fc.constantFrom('Monthly', 'Semimonthly', 'Quarterly'),
  scheduleType: fc.constantFrom('EqualInstallments', 'EqualPrincipal'),
  grace: fc.integer({ min: 0, max: 2 }),
  inAdvance: fc.boolean(),
  daysToFirst: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
});

function recordOf(charge: RandomCharge, place: number) {
  const { periodicity, isPercent, price, base, isUpfront, compulsory, included, inAprc } = charge;
  const shared = {
    Id: guid(500 + place),
    PeriodicityType: periodicity,
    PercentAppliedTo: base,
    IsUpfront: isUpfront,
    ...(inAprc !== undefined && { InAprc: inAprc }),
  };
  const always = { Status: 'Active', ValidFrom: null, ValidTo: null } as const;
  if (charge.isInsurance) {
    return insurance({
      ...shared,
      InsuranceName: `Charge ${place}`,
      ValueIsPercentage: isPercent,
      IncludedIntoRepaymentScheduleInstallment: included,
      IsMandatoryForApplicant: compulsory,
      Values: [{ Value: price, ...always }],
    });
  }
  const [CommissionValue, CommissionPercent] = isPercent ? [null, price] : [price, null];
  return commission({
    ...shared,
    Name: `Charge ${place}`,
    ValueIsPercent: isPercent,
    IncludedInRepaymentSchedule: included,
    AutomaticLoadOnContract: compulsory,
    MandatoryForApplicant: false,
    Values: [{ CommissionValue, CommissionPercent, ...always }],
  });
}

/** Rule Q8 as a table: optional charges of the schedule are chosen, and count only if the catalogue says so. */
function counts({ compulsory, included, inAprc }: RandomCharge): boolean {
  if (included) return inAprc ?? compulsory;
  return compulsory && inAprc === true;
}

function itemOf({ periodicity, isPercent, price, base, isUpfront }: RandomCharge, place: number) {
  return {
    ...(isPercent ? { SourcePercent: new Decimal(price) } : { SourceValue: new Decimal(price) }),
    FeePeriodicityType: periodicity,
    FeeDate: SIMULATION_DAY,
    FeeName: `Charge ${place}`,
    IsUpfront: isUpfront,
    ...(isPercent && { PercentAppliedTo: base ?? undefined }),
  };
}

const costOnce = ({ isPercent, price }: RandomCharge, amount: Decimal) =>
  isPercent ? amount.times(price).div(100).toDecimalPlaces(2, Decimal.ROUND_HALF_UP) : new Decimal(price);

it('equals the reference in total cost, amount payable and APRC', { timeout: MAX_TEST_MS }, () => {
  let calculated = 0;
  const check = (offer: typeof randomOffer extends fc.Arbitrary<infer Offer> ? Offer : never) => {
    const { charges, amount, loanPeriod, daysToFirst } = offer;
    // Payments in advance exclude grace (B7).
    const InterestType = offer.inAdvance ? 1 : 0;
    const GracePeriodPrincipal = offer.inAdvance ? 0 : offer.grace;
    const records = charges.map(recordOf);
    const chosen = charges.flatMap((charge, place) => (charge.included && !charge.compulsory ? [place] : []));
    const named = (isInsurance: boolean) =>
      chosen
        .filter((place) => charges[place]!.isInsurance === isInsurance)
        .map((place) => ({ Name: `charge ${place}` }));
    const FirstDueDate = daysToFirst === undefined ? undefined : addDays(SIMULATION_DAY, daysToFirst);
    const outcome = simulated(
      {
        general: { PeriodicityType: offer.periodicity },
        interests: [interest(rate(offer.percent))],
        commissions: records.filter((record) => 'Name' in record),
        insurances: records.filter((record) => 'InsuranceName' in record),
      },
      {
        amount,
        loanPeriod,
        scheduleType: offer.scheduleType,
        Offer: true,
        FirstDueDate,
        GracePeriodPrincipal,
        InterestType,
        OptionalCommissions: named(false),
        OptionalInsurances: named(true),
      },
    );
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    const [record] = outcome.records;
    const inAprc = charges.filter(counts);
    const atStart = (once: readonly RandomCharge[]) =>
      once
        .filter(({ periodicity }) => periodicity === 'Once')
        .reduce((sum, charge) => sum.plus(costOnce(charge, amount)), new Decimal(0));
    const counted: RepaymentScheduleRequest = {
      ScheduleType: offer.scheduleType,
      Amount: amount,
      InstallmentsNo: loanPeriod,
      PeriodicityType: offer.periodicity,
      InstallmentDay: FirstDueDate === undefined ? 1 : new Date(FirstDueDate * 86_400_000).getUTCDate(),
      InterestPercent: new Decimal(offer.percent),
      ActivationDate: SIMULATION_DAY,
      FirstDueDate,
      GracePeriodPrincipal,
      InterestType,
      CalculateDAE: 2,
      UpFrontValue: atStart(inAprc),
      Commission: charges.flatMap((charge, place) =>
        counts(charge) && charge.periodicity !== 'Once' ? [itemOf(charge, place)] : [],
      ),
    };
    const wanted = referenceOffer(counted, { requestDay: SIMULATION_DAY });
    if (wanted === undefined || record?.offer === undefined) return;
    calculated += 1;
    const { totalCostOfCredit, totalAmountPayable, aprc, totalUpfront } = record.offer;
    const paid = charges.filter(
      ({ included, compulsory, inAprc: flag }) => included || (compulsory && flag === true),
    );
    expect({ totalCostOfCredit, totalAmountPayable, totalUpfront }).toEqual({
      totalCostOfCredit: wanted.totalCostOfCredit,
      totalAmountPayable: wanted.totalAmountPayable,
      totalUpfront: atStart(paid).times(100).toNumber(),
    });
    // The reference leaves out rates that its search cannot find.
    expect(wanted.aprc === undefined ? undefined : aprc).toBe(wanted.aprc);
  };
  fc.assert(fc.property(randomOffer, check), { numRuns: OFFERS, seed: SEED });
  expect(calculated).toBeGreaterThan(OFFERS * MIN_CALCULATED_SHARE);
});
