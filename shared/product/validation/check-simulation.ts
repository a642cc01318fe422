/**
 * Checks that products can be simulated: faults of the catalogue because of which every simulation would be refused are
 * reported before publication instead of to every caller (Q2-Q7).
 */

import type { CompiledScheduleType } from '../../lending/schedule-types/compiled-schedule-type.ts';
import { findPeriodicity, type Periodicity } from '../../lending/dates/periodicity.ts';
import { isProductType, servesProductType } from '../../lending/schedule-types/schedule-type.ts';
import { type LoanRange, findLoanRange } from './loan-range.ts';
import { nestReport, type RecordContext, type ReportFault } from './check-context.ts';
import { checkContractCharges, checkInsuranceCounts } from './check-contract-charges.ts';
import { checkOfferCounts, checkOfferedRates } from './check-offered-rates.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import { daysOverlap, productDays } from '../catalogue/valid-versions.ts';

/** Reports faults because of which every simulation would be refused. References are checked by {@link checkProduct}. */
export function checkSimulation(product: ProductRecord, context: RecordContext, report: ReportFault): void {
  const { lending } = context;
  if (lending === undefined || !isProductType(product.BankingProductType)) return;
  const periodicity = findPeriodicity(product.GeneralData.PeriodicityType, lending.periodicities);
  const attached = product.PaymentScheduleTypes.flatMap((name, place) => {
    const type = lending.findScheduleType(name);
    return type === undefined ? [] : [{ type, place }];
  });
  const types = attached
    .map(({ type }) => type)
    .filter(({ type }) => servesProductType(type, product.BankingProductType));
  checkCharges(product, types, context, report);
  checkInsuranceCounts(product, context, report);
  if (periodicity === undefined) return;
  const range = findLoanRange(product.Availability, periodicity, nestReport('Availability', report));
  for (const { type, place } of attached) {
    checkScheduleType(type, { product, periodicity, range }, (problem) => {
      report(`PaymentScheduleTypes[${place}]`, `names ${type.type.name}, ${problem}`);
    });
  }
  if (range === undefined) return;
  const loans = { product, range, types };
  for (const [place, { InterestList }] of product.InterestsAndCommissions.entries()) {
    const list = context.soundLists.list('interest-list', InterestList);
    if (list === undefined) continue;
    checkOfferedRates(list, loans, (problem) => {
      const field = `InterestsAndCommissions[${place}].InterestList`;
      report(field, `names the interest list ${InterestList}, ${problem}`);
    });
  }
  checkOfferCounts(loans, context, report);
}

interface SimulatedWith {
  readonly product: ProductRecord;
  readonly periodicity: Periodicity;
  readonly range: LoanRange | undefined;
}

function checkScheduleType(
  { type, principal, namesRead }: CompiledScheduleType,
  { product, periodicity, range }: SimulatedWith,
  reportProblem: (problem: string) => void,
): void {
  const { measurementUnit, maximumInstallments } = type;
  const { unit, name } = periodicity;
  const isDayUnit = unit === 'Days' || unit === 'Weeks';
  if (measurementUnit !== null && unit !== 'Once' && isDayUnit !== (measurementUnit === 'Days')) {
    reportProblem(
      `which counts in ${measurementUnit.toLowerCase()}, but PeriodicityType is ${name}: name another`,
    );
  }
  const needsResidual = type.residualRequired || namesRead.has('ResidualValue');
  if (needsResidual && product.ResidualPercent === null) {
    reportProblem('which needs ResidualPercent of the product: add it, or name another');
  }
  const needsCapital = principal.kind === 'CapitalPercent' || namesRead.has('CapitalPercent');
  if (needsCapital && product.CapitalPercent === null) {
    reportProblem('which needs CapitalPercent of the product: add it, or name another');
  }
  const least = unit === 'Once' ? 1 : (range?.leastPeriods ?? 1);
  if (maximumInstallments !== null && least > maximumInstallments) {
    reportProblem(
      `which has at most ${maximumInstallments} instalments, but MinimumPeriod requires ${least}`,
    );
  }
}

function checkCharges(
  product: ProductRecord,
  types: readonly CompiledScheduleType[],
  { soundLists, lending }: RecordContext,
  report: ReportFault,
): void {
  const codes = new Map(product.Discounts.map((code) => [codeKey(code), code]));
  const discounts = [...codes.values()].flatMap((code) =>
    (soundLists.list('discount-list', code)?.Discounts ?? []).map((record) => ({ code, record })),
  );
  const charged = { product, types, discounts, periodicities: lending?.periodicities ?? [] };
  for (const [place, { CommissionList }] of product.InterestsAndCommissions.entries()) {
    const { Commissions = [] } = soundLists.list('commission-list', CommissionList) ?? {};
    const field = `InterestsAndCommissions[${place}].CommissionList`;
    checkContractCharges(Commissions, charged, (problem) =>
      report(field, `names the commission list ${CommissionList}, ${problem}`),
    );
  }
  for (const [place, item] of product.Insurances.entries()) {
    if (!daysOverlap(productDays(item), productDays(product))) continue;
    const { InsuranceList } = item;
    const { Insurances = [] } = soundLists.list('insurance-list', InsuranceList) ?? {};
    const field = `Insurances[${place}].InsuranceList`;
    checkContractCharges(Insurances, charged, (problem) =>
      report(field, `names the insurance list ${InsuranceList}, ${problem}`),
    );
  }
}
