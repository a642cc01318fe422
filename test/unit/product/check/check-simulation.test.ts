import { describe, expect, it } from 'vitest';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { selectEntries } from '../../../../shared/product/catalogue/catalogue-view.ts';
import { checkSimulations } from '../../../../shared/product/check/simulate-at-bounds.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { buildCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import { EXAMPLE_RECORDS, readCases, withChanges } from '../../../support/builders/catalogue-entries.ts';

/** A day on which all products of the example catalogue are valid. */
const TODAY = date('2026-01-15');

/** The faults of a catalogue, and of simulations of its products, as `record: message`. */
function faultsOf(records: readonly CatalogueRecord[]): readonly string[] {
  const outcome = buildCatalogue(records);
  const faults =
    outcome.kind === 'refused'
      ? outcome.faults
      : checkSimulations(selectEntries(records, 'product'), { ...outcome, today: TODAY });
  return faults.map(({ record, message }) => `${record}: ${message}`);
}

const ANY = 'cannot be simulated: productCode must be a product';

/** Settings that make every simulation fail, and the end of the fault that reports them. */
const CASES = readCases(`
COM-LEASE Commissions[0].Currency = "RON"
  LS-CAR: PaymentScheduleTypes[0] names Leasing, with which 5000 EUR over 12 periods from 2026-01-15 ${ANY} whose commission Contract fee is in EUR
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].Values = []; Commissions[0].ValueIsPercent = true; Commissions[0].Percent = 1
  ${ANY} whose commission Contract fee is in EUR
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].IncludedInRepaymentSchedule = false; Commissions[0].InAprc = true
  ${ANY} whose commission Contract fee is in EUR
INT-STEPS Interests[0].CollectionInterests[0].InterestStartPeriod = 0 | must be at least 1, or null
INT-STEPS Interests[0].CollectionInterests[0].InterestEndDate = "2023-12-31"
  ${ANY} whose interest Stepped rate has one rate for every instalment
INT-STEPS Interests[0].CollectionInterests[1].InterestEndPeriod = 83
  25000 EUR over 84 periods from 2026-01-15 cannot be simulated: loanPeriod must be at most 83 periods: the interest Stepped rate has no rate for later instalments
INT-OVERDRAFT Interests[0].BandedInterests[1].MaxUtilizedAmount = 1500
  5000 EUR over 12 periods from 2026-01-15 cannot be simulated: amount must be smaller: the interest Overdraft by utilised amount has no rate for every balance of the schedule
INT-OVERDRAFT Interests[0].BandedInterests[1].MaxUtilizedAmount = 1000
  must be above MinUtilizedAmount, or null: the band is empty
COM-LEASE Commissions[0].PercentAppliedTo = "Interest"; Commissions[0].PeriodicityType = "Once"; Commissions[0].ValueIsPercent = true; Commissions[0].Percent = 1
  must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start
COM-LEASE Commissions[0].PercentAppliedTo = "Interest"; Commissions[0].AutomaticLoadOnContract = false; Commissions[0].MandatoryForApplicant = false; Commissions[0].PeriodicityType = "Once"; Commissions[0].ValueIsPercent = true; Commissions[0].Percent = 1
  must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].AutomaticLoadOnContract = false; Commissions[0].MandatoryForApplicant = false
  LS-CAR: Availability.Currency is EUR, but that of the commission Contract fee, which a request can choose, is RON: make them the same
COM-LEASE Commissions[0].PercentAppliedTo = "UnusedAmount"; Commissions[0].PeriodicityType = "Monthly"; Commissions[0].ValueIsPercent = true; Commissions[0].Percent = 1
  must be another figure: simulations can have this charge, and have no unused amount
INT-LEASE Interests[0].Values[0].ValidFrom = null; Interests[0].Values[0].ValidTo = "2019-12-31"
  ${ANY} that has an interest with a rate on the day of the request
INT-LEASE Interests[0].Values[0].Value = 1e6 | must be from -100000 to 100000 percent
INT-LEASE Interests[0].Values[0].Value = 1e-21 | must have at most 20 decimals
COM-LEASE Commissions[0].Percent = 100001; Commissions[0].ValueIsPercent = true
  must be from 0 to 100000 percent
COM-LEASE Commissions[0].GracePeriodFee = 1201 | must be at most 1200, or null
INT-PERSONAL Interests[1].IsDefault = true; Interests[1].IsPenalty = false; Interests[1].Status = "Active"
  must be false here or in Interests[0]: only one interest can be the default
INT-STUDY Interests[0].Formula.Expression = "Score * ReferenceRate / 0" | cannot be calculated at position
COM-LEASE Commissions[1].Formula.Expression = "-5"; Commissions[1].Formula.Inputs = []
  must give a value from 0 to
CC-CLASSIC CapitalPercent = null
  PaymentScheduleTypes[1] names CreditCard, with which 300 EUR over 3 periods from 2026-01-15 cannot be simulated: scheduleType must not be a type that needs CapitalPercent, which the product does not have
DIS-HOME Discounts[0].AppliedToDimension = "Commission"; Discounts[0].Commission = "Management fee"; Discounts[0].IsPercentage = false
  ${ANY} whose commission Management fee has no discount in money, because it is a percentage of another figure
CC-CLASSIC InterestsAndCommissions[0].Filters = [{"Name": "Amount", "From": 1000}]
  with which 300 EUR over 3 periods from 2026-01-15 cannot be simulated: amount must suit an interest-commission item of the product, by its filters: Amount from 1000
LS-CAR ResidualPercent = 100.5 | must be at most 100, or null
TL-STUDY PaymentScheduleTypes[2] = "Once"
  names Once, with which 500 EUR over 12 periods from 2026-01-15 cannot be simulated: loanPeriod must be at most 1 with this schedule type
LS-CAR Availability.MaximumAmount = 100.004; Availability.MinimumAmount = 100.001
  must allow an amount above zero with at most 2 decimals, those of EUR: raise it
LS-CAR Availability.MaximumAmount = 0; Availability.MinimumAmount = null
  must allow an amount above zero with at most 2 decimals, those of EUR: raise it
LS-CAR Availability.MinimumAmount = 1e14; Availability.MaximumAmount = null
  cannot be simulated: amount must be at most 10000000000000.00
LS-CAR Availability.MaximumPeriod = null; Availability.MinimumPeriod = 1201
  must allow a whole number of Monthly periods from MinimumPeriod on, at most 1200: change the bounds
LS-CAR Availability.MaximumPeriod = 14; Availability.MinimumPeriod = 13; GeneralData.PeriodicityType = "Quarterly"
  must allow a whole number of Quarterly periods from MinimumPeriod on, at most 1200: change the bounds
LS-CAR Availability.MaximumPeriod = 6; Availability.MinimumPeriod = null; GeneralData.PeriodicityType = "Annual"
  must allow a whole number of Annual periods from MinimumPeriod on, at most 1200: change the bounds
LS-CAR Availability.MinimumAdvance = 100; Availability.MaximumAdvance = 100
  cannot be simulated: downPayment must be less than amount
`);

/** Settings with which all simulations succeed. */
const ACCEPTED = readCases(`
TL-STUDY PaymentScheduleTypes[2] = "Once"; Availability.MinimumPeriod = 1
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].Values = []
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].Values = []; Commissions[0].Percent = 1
LS-CAR Availability.MinimumAmount = 100; Availability.MaximumAmount = 100
LS-CAR Availability.MinimumAmount = 100.001; Availability.MaximumAmount = 100.01
COM-LEASE Commissions[0].Currency = "RON"; Commissions[0].AutomaticLoadOnContract = false; Commissions[0].MandatoryForApplicant = false; Commissions[0].IncludedInRepaymentSchedule = false
COM-LEASE Commissions[0].GracePeriodFee = 1200
INT-LEASE Interests[0].Values[0].Value = -1199.99
INT-LEASE Interests[0].Values[0].Value = 100000
LS-CAR ResidualPercent = 100
TL-STUDY ResidualPercent = 33.333; PaymentScheduleTypes = ["EqualInstallments","Balloon"]
INT-STEPS Interests[0].CollectionInterests[1].InterestEndPeriod = 84
INT-OVERDRAFT Interests[0].BandedInterests[1].MaxUtilizedAmount = 100000000
TL-MARKET Availability.PeriodType = "Months"; Availability.MinimumPeriod = 1; Availability.MaximumPeriod = 12
TL-STUDY GeneralData.PeriodicityType = "Annual"
TL-STUDY GeneralData.PeriodicityType = "Once"
DP-TERM Availability.MinimumPeriod = null; Availability.MaximumPeriod = null; Availability.MinimumAmount = null; Availability.MaximumAmount = null
`);

describe('checks of simulations', () => {
  it('accept the example catalogue', () => {
    expect(faultsOf(EXAMPLE_RECORDS)).toEqual([]);
  });

  it.each(CASES)('report $title', ({ code, change, faults: [fault = ''] }) => {
    const faults = faultsOf(withChanges(change));
    expect(faults.filter((reported) => reported.includes(fault))).not.toEqual([]);
    const others = faults.filter((reported) => !reported.includes(fault) && reported.startsWith(`${code}: `));
    expect(others).toEqual([]);
  });

  it.each(ACCEPTED)('accept $title', ({ change }) => {
    expect(faultsOf(withChanges(change))).toEqual([]);
  });

  it('accept as many interests as the limit of offers (Q3)', () => {
    const records = withChanges([
      'interest-list',
      'INT-LEASE',
      (list) => {
        const [first] = list.Interests;
        list.Interests = Array.from({ length: 100 }, (_, place) => {
          const Id = `99999999-9999-4999-8999-${String(place).padStart(12, '0')}`;
          return { ...first, Id, Name: `Rate ${place}`, IsDefault: false };
        });
      },
    ]);
    expect(faultsOf(records)).toEqual([]);
  });
});
