import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { readWholeCatalogue } from '../../../../shared/product/storage/catalogue-folder.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { simulatePayload } from '../../../../shared/api/actions/simulate-action.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { INTEREST_OPTION_IDS, INTEREST_TYPES } from '../../../../shared/product/catalogue/list-records.ts';
import type {
  SimulateRequest,
  SimulationRecord,
  SimulationRow,
} from '../../../../shared/product/simulation/simulation.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const FOLDER = new URL('../../../../shared/product/example-catalogue', import.meta.url).pathname;
const REQUEST_DAY = date('2026-01-31');
const MONTHS_PER_YEAR = 12;

const folder = readWholeCatalogue(FOLDER);
const catalogue = folder.catalogue;
if (catalogue === undefined) throw new Error(JSON.stringify(folder.faults));
const calendars = { find: (name: string) => findCalendar(name, { catalogue: catalogue.lending.calendars }) };
const products = folder.records
  .filter((entry) => entry.kind === 'product')
  .map(({ record }) => record)
  .filter((record) => catalogue.product(record.Code, REQUEST_DAY) === record);
const cases = products.flatMap((product) =>
  product.PaymentScheduleTypes.flatMap((scheduleType) =>
    INTEREST_TYPES.flatMap((interestType) =>
      [0, 1].map((InterestType) => ({ product, scheduleType, interestType, InterestType })),
    ),
  ),
);

/** Values for the arguments of formulas in the example catalogue. */
const FIGURES = new Map(Object.entries({ KilometresPerYear: 15_000, ReferenceRate: 2.1, Score: 650 }));

/** A request within the product's bounds. */
function requestFor({
  product,
  scheduleType,
  interestType,
  InterestType: inAdvance,
}: (typeof cases)[number]) {
  const { MinimumAmount, MaximumAmount, MinimumPeriod, MinimumAdvance, PeriodType } = product.Availability;
  const amount = new Decimal(Math.min(Math.max(MinimumAmount ?? 0, 12_345), MaximumAmount ?? 12_345));
  const periods = Math.max(MinimumPeriod ?? 1, 9);
  return {
    productCode: product.Code,
    amount,
    loanPeriod: PeriodType === 'Years' ? periods * MONTHS_PER_YEAR : periods,
    scheduleType,
    interestType: INTEREST_OPTION_IDS[interestType],
    InterestType: inAdvance,
    // The formulas of this type read the payment, which is therefore mandatory.
    installmentValue:
      scheduleType === 'LevelTotalWithVat' ? amount.dividedBy(periods - 1).toDecimalPlaces(2) : undefined,
    downPayment: MinimumAdvance === null ? undefined : amount.times(MinimumAdvance).dividedBy(100),
  };
}

/** Simulates, and adds the formula arguments that the first attempt reports as missing. */
function simulateWithArguments(request: SimulateRequest) {
  const context = { catalogue: catalogue ?? never(), calendars, requestDay: REQUEST_DAY };
  const first = simulate(request, context);
  if (first.kind === 'simulation') return first;
  const missing = first.faults.map(({ path }) => /^jsonInputFormula\.(\w+)\.(\w+)$/.exec(path));
  if (missing.some((match) => match === null)) return first;
  const inputs: Record<string, { name: string; value: Decimal }[]> = {};
  for (const [, part = '', name = ''] of missing.filter((match) => match !== null)) {
    (inputs[part] ??= []).push({ name, value: new Decimal(FIGURES.get(name) ?? 0) });
  }
  return simulate({ ...request, jsonInputFormula: inputs }, context);
}

function never(): never {
  throw new Error('there is no catalogue');
}

type Json = Readonly<Record<string, unknown>>;

function readRepeated(text: string, periodicity: string): readonly Json[] {
  return (JSON.parse(text) as readonly Json[]).filter((item) => item[periodicity] !== 'Once');
}

function source({ Value, Percent }: Json): Json {
  return Value === null ? { SourcePercent: Percent } : { SourceValue: Value };
}

/** The charges in a simulation reply, in the fields of a schedule request (4.1). */
function reportedCharges(record: SimulationRecord) {
  const { OutputCommissionJson = '', OutputInsuranceJson = '' } =
    simulatePayload([record], []).Records[0] ?? {};
  const graceOf = (id: unknown) => record.terms.Commission?.find(({ FeeId }) => FeeId === id)?.GracePeriodFee;
  return {
    Commission: readRepeated(OutputCommissionJson, 'FeePeriodicityType').map((item) => ({
      ...source(item),
      FeePeriodicityType: item['FeePeriodicityType'],
      FeeDate: item['FeeDate'],
      FeeName: item['Name'],
      FeeId: item['FeeId'],
      IsUpfront: item['IsUpfront'],
      GracePeriodFee: graceOf(item['FeeId']),
    })),
    Insurance: readRepeated(OutputInsuranceJson, 'InsurancePeriodicityType').map((item) => ({
      ...source(item),
      InsurancePeriodicityType: item['InsurancePeriodicityType'],
      InsuranceDate: item['InsuranceDate'],
      InsuranceName: item['Name'],
      IsUpfront: item['IsUpfront'],
    })),
  };
}

/**
 * Sends the terms of a record to CalculateRepaymentSchedule as JSON, with the charges as the simulation reply lists them:
 * only the catalogue determines their base and whether they are annual (S6).
 */
function recalculateRows(record: SimulationRecord) {
  const { jsonParam } = JSON.parse(repaymentScheduleRequest.render(record.terms)) as { jsonParam: Json };
  const read = repaymentScheduleRequest.read({ jsonParam: { ...jsonParam, ...reportedCharges(record) } });
  if (read.kind !== 'valid') throw new Error(JSON.stringify(read));
  const context = { requestDay: date('2030-06-15'), calendars, catalogue: catalogue?.lending ?? never() };
  const outcome = calculateRepaymentSchedule(read.payload, context);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  // The base of a percentage comes from the catalogue. Charges at the start have no effect without a DAE.
  const others = outcome.warnings.filter(({ code }) => code !== 'from-catalogue');
  expect(others.filter(({ path }) => path !== 'UpFrontValue')).toEqual([]);
  return outcome.rows.map(figuresOf);
}

/** The figures of a row that are in both replies. */
function figuresOf(row: SimulationRow): readonly number[] {
  const { InstallmentNo, remainingValue, pmt, interest, principal, managementFee, insurance = 0 } = row;
  const parts = [pmt, interest, principal, managementFee, insurance, row.totalInstallment];
  return [InstallmentNo, remainingValue, ...parts];
}

const outcomes = cases.map((found) => ({
  name: `${found.product.Code}, ${found.scheduleType}, ${found.interestType}, ${found.InterestType}`,
  outcome: simulateWithArguments(requestFor(found)),
}));
const answered = outcomes.flatMap(({ name, outcome }) =>
  outcome.kind === 'simulation' ? outcome.records.map((record) => ({ name, record })) : [],
);

/** What the lender's share of the rows is worth at the start, at a yearly rate in percent (A3). */
function valueAtStart({ rows, terms }: SimulationRecord, percent: Decimal): Decimal {
  const isInAdvance = terms.InterestType === 1;
  const periods = terms.InstallmentsNo - (isInAdvance ? 1 : 0);
  const factor = percent.dividedBy(100 * MONTHS_PER_YEAR).plus(1);
  return rows.slice(1).reduce((sum, row, place) => {
    const period = isInAdvance ? place : Math.min(place + 1, periods);
    const flow = new Decimal(row.interest).plus(row.principal).plus(row.managementFee);
    return sum.plus(flow.dividedBy(factor.pow(period)));
  }, new Decimal(0));
}

describe('the simulation of the example catalogue', () => {
  it('covers every product and every interest type', () => {
    const names = answered.map(({ name }) => name.split(', '));
    expect(new Set(names.map(([code]) => code)).size).toBe(products.length);
    expect(new Set(names.map(([, , type]) => type)).size).toBe(INTEREST_TYPES.length);
    expect(products.length).toBeGreaterThan(8);
  });

  it('is refused only for interest types that a product does not have, and in advance for some schedule types', () => {
    const reasons = outcomes.flatMap(({ outcome }) =>
      outcome.kind === 'refused' ? outcome.faults.map(({ path, code }) => `${path} ${code}`) : [],
    );
    expect([...new Set(reasons)].toSorted()).toEqual([
      'InterestType not-allowed',
      'interestType not-allowed',
    ]);
  });

  it.each(answered.filter(({ record }) => record.terms.PeriodicityType === 'Monthly'))(
    'has the rate at which its payments are worth the loan, within half a unit of its last decimal: $name (A3)',
    ({ record }) => {
      const rate = new Decimal(record.irr?.replace('%', '') ?? '');
      const [above, below] = [0.00005, -0.00005].map((step) => valueAtStart(record, rate.plus(step)));
      const financed = record.rows[1]?.remainingValue ?? 0;
      expect(above?.lte(financed) && below?.gte(financed)).toBe(true);
    },
  );

  it.each(answered)('agrees with CalculateRepaymentSchedule to the cent: $name', ({ record }) => {
    const [ofDownPayment, ...rows] = record.rows;
    expect(rows.map(figuresOf)).toEqual(recalculateRows(record));
    expect(record.rows.reduce((sum, row) => sum + row.principal, 0)).toBe(ofDownPayment?.remainingValue);
  });
});
