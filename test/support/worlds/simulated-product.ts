import { Decimal } from 'decimal.js';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import {
  createLendingCatalogue,
  type CatalogueRecords,
} from '../../../shared/lending/schedule-types/lending-catalogue.ts';
import { buildCatalogueView } from '../../../shared/product/check/check-catalogue.ts';
import type {
  CatalogueRecord,
  RecordKind,
  RecordsByKind,
} from '../../../shared/product/catalogue/catalogue-record.ts';
import type { CatalogueView } from '../../../shared/product/catalogue/catalogue-view.ts';
import type {
  CommissionRecord,
  DiscountRecord,
  InsuranceRecord,
  InterestRecord,
} from '../../../shared/product/catalogue/list-records.ts';
import type {
  Availability,
  GeneralData,
  ProductInsuranceItem,
  ProductRecord,
} from '../../../shared/product/catalogue/product-record.ts';
import { readCatalogueRecord } from '../../../shared/product/catalogue/read-record.ts';
import type {
  SimulateRequest,
  SimulationOutcome,
  SimulationRecord,
} from '../../../shared/product/simulation/simulation.ts';
import { simulate } from '../../../shared/product/simulation/simulate-product.ts';
import { date } from '../builders/lending-loan.ts';

export const SIMULATION_DAY = date('2025-01-01');

const LIST = { Version: 1, Status: 'Active' } as const;
const ALWAYS = { ValidFrom: null, ValidTo: null } as const;

/** A record as a catalogue file gives it: with the defaults of what it leaves out. */
function read<Kind extends RecordKind>(kind: Kind, value: object): RecordsByKind[Kind] {
  const found = readCatalogueRecord(kind, value, 'test');
  if (found.kind === 'invalid') throw new Error(JSON.stringify(found.faults));
  return found.entry.record as RecordsByKind[Kind];
}

export function guid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A Fixed interest of 12 %, with changes. */
export function interest(changes: Partial<InterestRecord> = {}): InterestRecord {
  const terms = { Id: guid(100), Name: 'Standard rate', Code: 'STD', Type: 'Fixed', IsGeneral: true };
  const Interests = [{ ...terms, Values: [{ Value: 12 }] }];
  const [record] = read('interest-list', { ...list('INT', 11), Interests }).Interests;
  return { ...(record as InterestRecord), ...changes };
}

/** Values of a Fixed or Variable interest: one rate that is always valid. */
export function rate(Value: number): Pick<InterestRecord, 'Values'> {
  return { Values: [{ Value, ValueStatus: 'Active', ...ALWAYS }] };
}

/** A monthly commission of 10 in the schedule, with changes. */
export function commission(changes: Partial<CommissionRecord> = {}): CommissionRecord {
  const terms = {
    Id: guid(200),
    Name: 'Administration',
    Type: 'Administration',
    PeriodicityType: 'Monthly',
    Currency: 'EUR',
    Status: 'Active',
    IncludedInRepaymentSchedule: true,
    AutomaticLoadOnContract: true,
    IsForContractVersion: false,
    ...price(10),
  };
  const [record] = read('commission-list', { ...list('COM', 12), Commissions: [terms] }).Commissions;
  return { ...(record as CommissionRecord), ...changes };
}

/** The only value of a commission: an amount or a percentage. */
export function price(value: number | null, percent: number | null = null): Pick<CommissionRecord, 'Values'> {
  return { Values: [{ CommissionValue: value, CommissionPercent: percent, Status: 'Active', ...ALWAYS }] };
}

/** A monthly insurance of 3 that is mandatory, with changes. */
export function insurance(changes: Partial<InsuranceRecord> = {}): InsuranceRecord {
  const terms = {
    Id: guid(300),
    InsuranceCode: 'LIFE',
    InsuranceName: 'Life',
    PeriodicityType: 'Monthly',
    Currency: 'EUR',
    Class: 'Persons',
    ClassId: guid(390),
    IsMandatoryForApplicant: true,
    IncludedIntoRepaymentScheduleInstallment: true,
    Values: [{ Value: 3 }],
  };
  const [record] = read('insurance-list', { ...list('INS', 13), Insurances: [terms] }).Insurances;
  return { ...(record as InsuranceRecord), ...changes };
}

/** A discount of 10 % on all commissions, with changes. */
export function discount(changes: Partial<DiscountRecord> = {}): DiscountRecord {
  const terms = { AppliedToDimension: 'Commission', DiscountValue: 10, IsPercentage: true };
  const Discounts = [{ Id: guid(400), Name: 'Campaign', ...terms }];
  const [record] = read('discount-list', { ...list('DIS', 14), Discounts }).Discounts;
  return { ...(record as DiscountRecord), ...changes };
}

/** The parts of the catalogue that a test sets; the other parts have defaults. */
export interface Offering {
  readonly interests?: readonly InterestRecord[];
  readonly commissions?: readonly CommissionRecord[];
  readonly insurances?: readonly InsuranceRecord[];
  readonly discounts?: readonly DiscountRecord[];
  /** The limits of the list LIM, which the product names if there are any. */
  readonly limits?: readonly object[];
  readonly availability?: Partial<Availability>;
  readonly general?: Partial<GeneralData>;
  readonly product?: Partial<ProductRecord>;
  /** Schedule types, periodicities and calendars in addition to the built-in ones. */
  readonly lending?: CatalogueRecords;
}

/** An insurance item of a product that refers to the list INS, with changes. */
export function insuranceItem(
  Code: string,
  changes: Partial<ProductInsuranceItem> = {},
): ProductInsuranceItem {
  const item = { Id: guid(30), Name: `Item ${Code}`, Code, InsuranceList: 'INS' };
  return { ...item, StartDate: null, EndDate: null, Filters: [], ...changes };
}

/** The product PL with one item for all interests and commissions, with changes. */
export function product(offering: Offering = {}): ProductRecord {
  const record = read('product', {
    Code: 'PL',
    Version: 1,
    Id: guid(1),
    Name: 'Personal loan',
    Status: 'Approved',
    StartDate: null,
    EndDate: null,
    BankingProductType: 'TL',
    Display: {},
    GeneralData: { PeriodicityType: 'Monthly' },
    PaymentScheduleTypes: ['EqualInstallments', 'EqualPrincipal'],
    Availability: { Currency: 'EUR', PeriodType: 'Months' },
    InterestsAndCommissions: [{ Id: guid(10), Name: 'Standard', InterestList: 'INT', CommissionList: 'COM' }],
    Insurances: [insuranceItem('COVER')],
    Discounts: ['DIS'],
    ...(offering.limits && { LimitList: 'LIM' }),
  });
  return {
    ...record,
    GeneralData: { ...record.GeneralData, ...offering.general },
    Availability: { ...record.Availability, ...offering.availability },
    ...offering.product,
  };
}

function list(Code: string, number: number) {
  return { ...LIST, Code, Id: guid(number), Name: `List ${Code}` };
}

function limitList(Limits: readonly object[]): CatalogueRecord {
  return {
    kind: 'limit-list',
    source: 'test',
    record: read('limit-list', { ...list('LIM', 15), Limits }),
  };
}

/** The catalogue of an offering; a custom list ODD holds 1 and 3. */
export function catalogueOf(offering: Offering = {}): CatalogueView {
  const source = 'test';
  const interests = { ...list('INT', 11), Interests: offering.interests ?? [interest()] };
  const commissions = { ...list('COM', 12), Commissions: offering.commissions ?? [] };
  const insurances = { ...list('INS', 13), Insurances: offering.insurances ?? [] };
  const discounts = { ...list('DIS', 14), Discounts: offering.discounts ?? [] };
  const records: readonly CatalogueRecord[] = [
    { kind: 'product', source, record: product(offering) },
    { kind: 'interest-list', source, record: interests },
    { kind: 'commission-list', source, record: commissions },
    { kind: 'insurance-list', source, record: insurances },
    { kind: 'discount-list', source, record: discounts },
    ...(offering.limits ? [limitList(offering.limits)] : []),
    { kind: 'custom-list', source, record: { Code: 'ODD', Version: 1, Values: [1, 3] } },
  ];
  const lending = createLendingCatalogue(offering.lending ?? {});
  if (lending.kind === 'refused') throw new Error(JSON.stringify(lending.faults));
  return buildCatalogueView(records, lending.catalogue);
}

/** 1000 over 4 months with level payments, with changes. */
export function simulateRequest(changes: Partial<SimulateRequest> = {}): SimulateRequest {
  return {
    productCode: 'PL',
    amount: new Decimal(1000),
    loanPeriod: 4,
    scheduleType: 'EqualInstallments',
    ...changes,
  };
}

/** The outcome of a request for an offering. */
export function simulated(
  offering: Offering = {},
  changes: Partial<SimulateRequest> = {},
  requestDay = SIMULATION_DAY,
): SimulationOutcome {
  const calendars = { find: (name: string) => findCalendar(name, {}) };
  return simulate(simulateRequest(changes), { catalogue: catalogueOf(offering), calendars, requestDay });
}

/** The records of a simulation; throws when it is refused. */
export function recordsOf(...call: Parameters<typeof simulated>): readonly SimulationRecord[] {
  const outcome = simulated(...call);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.records;
}

export function recordOf(...call: Parameters<typeof simulated>): SimulationRecord {
  const [record, ...others] = recordsOf(...call);
  if (record === undefined || others.length > 0) throw new Error(`${others.length + 1} records`);
  return record;
}

/** Path, code and status of each fault of a refused simulation; throws when it is not refused. */
export function refusalOf(...call: Parameters<typeof simulated>): readonly string[] {
  const outcome = simulated(...call);
  if (outcome.kind === 'simulation') throw new Error('the simulation was not refused');
  return outcome.faults.map(({ path, code, status }) => `${path} ${code} ${status}`);
}
