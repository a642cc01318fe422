/** The commissions, insurances and unused amount of a request, parsed before any due date is known (F1-F5). */

import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { checkChargeName, completeCharge, type CompletedCharge } from './catalogue-match.ts';
import { readChargeInputs, type ChargeKind } from './charge-input.ts';
import { listAllowedBases, type ChargeBase } from './charge-base.ts';
import { parseChargePrice, type ChargePrice } from './requested-charge-price.ts';
import type { KnownCharges } from '../schedule-types/known-charges.ts';
import { MAX_INSTALLMENTS, checkAmount, checkPeriodicity, checkWhole } from '../request/field-checks.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import type { Validation } from '../request/validation.ts';
import type { CountedIn, RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { CompiledScheduleType, ExtraColumn, ScheduleType } from '../schedule-types/schedule-type.ts';

export interface ChargeItem {
  readonly kind: ChargeKind;
  readonly path: string;
  readonly datePath: string;
  readonly name: string;
  /** Names of the additional columns that show the item separately (F4). */
  readonly columns: readonly string[];
  readonly price: ChargePrice;
  readonly periodicity: Periodicity;
  readonly firstDate: CalendarDate;
  readonly isUpfront: boolean;
  /** Charges in rows up to this original number are waived (F3). */
  readonly graceRows: number;
  /** Blocked amount in minor units, collected with the first row of the schedule; zero unless IsLocked is true (X2). */
  readonly blocked: number;
  readonly countsIn: CountedIn | undefined;
}

/** The unused part of a credit line and the period in which it is charged (F5). */
export interface UnusedAmount {
  /** Minor units. */
  readonly amount: number;
  /** Undefined for the start of the schedule. */
  readonly from: CalendarDate | undefined;
  /** Undefined for the last due date. */
  readonly to: CalendarDate | undefined;
}

export interface ChargeTerms {
  readonly items: readonly ChargeItem[];
  readonly hasInsurances: boolean;
  /** True if a commission is charged for unusage, from StartDateForUnusage to ExpiryDateForOD (F5). */
  readonly hasUnusageFee: boolean;
  /** True if a percentage is of the credit value, to which AdvanceAmount belongs (F2). */
  readonly isOnCreditValue: boolean;
  readonly unused: UnusedAmount;
}

/** Maximum number of commissions, and of insurances, in one request (F1); limits the work for each row. */
const MAX_CHARGES = 200;
/** GracePeriodFee and GracePeriodInsurance count rows, of which a schedule has at most this many (F3, M6). */
const GRACE_ROWS = { min: 0, max: MAX_INSTALLMENTS };

export interface ChargeContext {
  readonly validation: Validation;
  readonly digits: number;
  readonly periodicities: readonly Periodicity[];
  readonly rules: ChargeRules | undefined;
  /** The charges of the catalogue; if undefined, every name is accepted (F1). */
  readonly knownCharges?: KnownCharges | undefined;
}

/** Reports faults and fields without effect (E5, X2); undefined if there is a fault. */
export function parseChargeTerms(
  request: RepaymentScheduleRequest,
  context: ChargeContext,
): ChargeTerms | undefined {
  const { validation } = context;
  const faultsBefore = validation.faults.length;
  const unusedAmount = checkAmount(validation, 'UnusedAmount', request.UnusedAmount, context.digits);
  const areFeesAccepted = checkList('Commission', request.Commission, context);
  const areInsurancesAccepted = checkList('Insurance', request.Insurance, context);
  if (!areFeesAccepted || !areInsurancesAccepted) return undefined;
  const charges = readChargeInputs(request).map((input) => completeCharge(input, context.knownCharges));
  const isLocked = request.IsLocked === true;
  const withBases = { ...context, bases: charges.length === 0 ? [] : listAllowedBases(context.rules) };
  const items = charges.flatMap((charge) => parseItem(charge, withBases, isLocked) ?? []);
  checkUnused(request, charges, context);
  if (validation.faults.length > faultsBefore) return undefined;
  return {
    items,
    hasInsurances: charges.some(({ input }) => input.kind === 'insurance' && input.countsIn !== 'Rate'),
    hasUnusageFee: charges.some(isUnusageFee),
    isOnCreditValue: items.some(({ price }) => price.kind === 'percent' && price.base === 'CreditValue'),
    unused: {
      amount: unusedAmount ?? 0,
      from: request.StartDateForUnusage,
      to: request.ExpiryDateForOD,
    },
  };
}

function checkList(
  path: 'Commission' | 'Insurance',
  { length: count }: readonly unknown[] = [],
  { rules, validation }: ChargeContext,
): boolean {
  if (count > 0 && rules?.type.acceptsCharges === false) {
    validation.reject(path, 'not-allowed', 'must be left out or empty with this schedule type');
    return false;
  }
  if (count > MAX_CHARGES) {
    validation.reject(path, 'out-of-range', `must have at most ${MAX_CHARGES} items`);
    return false;
  }
  return true;
}

/** Blocked amounts apply only if `isLocked` is true (X2). */
function parseItem(
  charge: CompletedCharge,
  context: ChargeContext & { readonly bases: readonly ChargeBase[] },
  isLocked: boolean,
): ChargeItem | undefined {
  const { input } = charge;
  const { rules, validation } = context;
  const name = checkChargeName(charge, validation);
  const periodicity = parsePeriodicity(charge, context);
  const price = parseChargePrice(charge, periodicity, context, validation);
  const graceRows = checkWhole(validation, input.gracePath, input.graceRows, GRACE_ROWS) ?? 0;
  const blocked = checkAmount(validation, input.blockedPath, input.blocked, context.digits) ?? 0;
  if (blocked > 0 && !isLocked) validation.warn(input.blockedPath);
  const isOnce = periodicity?.unit === 'Once';
  if (isOnce && input.isUpfront === true) validation.warn(`${input.path}.IsUpfront`);
  if (name === undefined || periodicity === undefined || price === undefined) return undefined;
  return {
    kind: input.kind,
    path: input.path,
    datePath: input.datePath,
    name,
    columns: rules === undefined || input.countsIn === 'Rate' ? [] : findChargeColumns(charge, rules.extras),
    price,
    periodicity,
    firstDate: input.firstDate,
    isUpfront: input.isUpfront ?? (rules !== undefined && isUpfrontByType(charge, rules)),
    graceRows,
    blocked: isLocked ? blocked : 0,
    countsIn: input.countsIn,
  };
}

/** A charge for unusage is charged in every row, so it cannot be charged once (F5). */
function parsePeriodicity(
  charge: CompletedCharge,
  { periodicities, validation }: ChargeContext,
): Periodicity | undefined {
  const { periodicityType: name, periodicityPath: path } = charge.input;
  const repeats = isUnusageFee(charge);
  return checkPeriodicity(
    validation,
    { path, name },
    periodicities,
    ({ unit }) => unit !== 'Once' || !repeats,
  );
}

/** Requires UnusedAmount for charges on it; warns of it and StartDateForUnusage where nothing reads them (F2, F5). */
function checkUnused(
  request: RepaymentScheduleRequest,
  charges: readonly CompletedCharge[],
  { rules, validation }: ChargeContext,
): void {
  const { UnusedAmount, StartDateForUnusage: from, ExpiryDateForOD: to } = request;
  const hasUnusageFee = charges.some(isUnusageFee);
  const isAmountNeeded = hasUnusageFee || charges.some(isOnUnusedAmount);
  if (isAmountNeeded && UnusedAmount === undefined) {
    validation.reportMissing('UnusedAmount', 'is missing; charges on the unused amount require it');
  }
  const isAmountRead = isAmountNeeded || rules?.namesRead.has('UnusedAmount') === true;
  if (!isAmountRead && UnusedAmount?.isZero() === false) validation.warn('UnusedAmount');
  if (!hasUnusageFee && from !== undefined) validation.warn('StartDateForUnusage');
  if (hasUnusageFee && from !== undefined && to !== undefined && to < from) {
    const earliest = formatCalendarDate(from);
    const message = `must be on or after StartDateForUnusage, ${earliest}`;
    validation.reject('ExpiryDateForOD', 'date-order', message);
  }
}

function isUnusageFee({ input, settings }: CompletedCharge): boolean {
  return settings.isForUnusage && input.percent !== undefined;
}

function isOnUnusedAmount({ input, settings }: CompletedCharge): boolean {
  return input.percent !== undefined && settings.appliedTo?.trim().toLowerCase() === 'unusedamount';
}

export interface ChargeRules extends Pick<
  CompiledScheduleType,
  'extras' | 'steps' | 'upfront' | 'namesRead'
> {
  readonly type: Pick<ScheduleType, 'acceptsCharges'>;
}

/** Names of the columns that show an item separately: those of its commission or of its insurance class (F4). */
function findChargeColumns(
  { input: { kind }, typeNames }: CompletedCharge,
  extras: readonly ExtraColumn[],
): readonly string[] {
  const shown = extras.filter(({ method }) => {
    if (method.kind === 'Formula') return false;
    const [own, name] =
      method.kind === 'Fee' ? ['commission', method.fee] : ['insurance', method.insuranceClass];
    return kind === own && typeNames.includes(name.trim().toLowerCase());
  });
  return shown.map(({ name }) => name);
}

/** True if the schedule type charges an item without IsUpfront at the start of its periods (F1). */
function isUpfrontByType({ input, typeNames }: CompletedCharge, { upfront }: ChargeRules): boolean {
  const isCommission = input.kind === 'commission';
  const known = isCommission ? upfront.byFee : upfront.byInsuranceClass;
  for (const name of typeNames) {
    const isUpfront = known.get(name);
    if (isUpfront !== undefined) return isUpfront;
  }
  return isCommission ? upfront.fees : upfront.insurances;
}
