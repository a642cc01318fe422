/** How the principal of a loan is repaid: grace periods, residual, fixed and blocked amounts, prepayments (G, B, X). */

import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import { percentToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { checkAmount, checkName, checkWhole } from '../request/field-checks.ts';
import { formatMinorUnits } from '../numbers/money.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { findListedDates } from '../due-dates/planned-due-dates.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** What happens to interest that a grace period holds back (G2). */
export const GRACE_TYPES = ['Deferred', 'Capitalised', 'Spread', 'Forgiven'] as const;
export type GraceType = (typeof GRACE_TYPES)[number];

/** Amounts are minor units. */
export interface RepaymentTerms {
  /** Rows up to this original number have no principal; up to `graceInterest` they collect no interest (G1, G2). */
  readonly gracePrincipal: number;
  readonly graceInterest: number;
  readonly graceType: GraceType;
  /** Zero if there is none. With `residualInInstallment` the last row pays it, otherwise a row of its own (B1). */
  readonly residual: number;
  readonly residualInInstallment: boolean;
  /** True: payments are due at the start of their periods (B7). */
  readonly isInAdvance: boolean;
  /** Payment, or equal part of the principal, that the request fixes (B2); undefined if a formula reads it. */
  readonly fixedPayment: number | undefined;
  readonly allowsNegativeAmortisation: boolean;
  /** CapitalPercent as a fraction, undefined if absent; `capitalPercent` is its text, `0` if absent (B3). */
  readonly capitalShare: ExactRatio | undefined;
  readonly capitalPercent: string;
  /** True if interest is capitalised until the last row (B4). */
  readonly capitalisesInterest: boolean;
  /** Blocked principal. Like `blockInterest` it is collected with the first row, and 0 unless IsLocked is true (X2). */
  readonly blockAmount: number;
  readonly blockInterest: number;
  /** In order of date (X3). */
  readonly prepayments: readonly Prepayment[];
}

interface RepaymentContext {
  readonly validation: Validation;
  readonly compiled: CompiledScheduleType | undefined;
  readonly currencyDigits: number;
  readonly amount: number | undefined;
  /** Rows of the contract; RealInstallmentNo may end the schedule earlier (B6). */
  readonly installmentsNo: number | undefined;
}

export const MAX_CAPITAL_PERCENT = 100;
const FIXED_FIELDS = ['installmentValue', 'principalValue'] as const;
type FixedField = (typeof FIXED_FIELDS)[number];

/** Reports invalid fields. A field that cannot be read has the value of an absent one. */
export function parseRepaymentTerms(
  request: RepaymentScheduleRequest,
  context: RepaymentContext,
): RepaymentTerms {
  const grace = parseGrace(request, context);
  const residual = parseResidual(request, context);
  const block = parseBlocked(request, context, residual);
  return {
    ...grace,
    residual,
    residualInInstallment:
      (request.ResidualInInstallment ?? context.compiled?.type.residualInInstallment) === true,
    isInAdvance: parseInAdvance(request, context),
    fixedPayment: parseFixedPayment(request, context),
    allowsNegativeAmortisation: request.AllowNegativeAmortisation === true,
    ...parseCapitalShare(request, context),
    capitalisesInterest: parseCapitalisation(request, context),
    ...block,
    prepayments: parsePrepayments(request, context.currencyDigits, context.validation),
  };
}

function parseGrace(request: RepaymentScheduleRequest, context: RepaymentContext) {
  const { validation } = context;
  const rows = Math.min(context.installmentsNo ?? Infinity, request.RealInstallmentNo ?? Infinity);
  const greatest = Number.isSafeInteger(rows) && rows >= 1 ? rows - 1 : Number.MAX_SAFE_INTEGER;
  const range = { min: 0, max: greatest };
  const gracePrincipal =
    checkWhole(validation, 'GracePeriodPrincipal', request.GracePeriodPrincipal, range) ?? 0;
  const graceInterest =
    checkWhole(validation, 'GracePeriodInterest', request.GracePeriodInterest, range) ?? 0;
  const named = checkName(validation, 'GraceType', request.GraceType, GRACE_TYPES);
  if (named !== undefined && graceInterest === 0) validation.warn('GraceType');
  return { gracePrincipal, graceInterest, graceType: named ?? 'Deferred' };
}

function parseResidual(request: RepaymentScheduleRequest, context: RepaymentContext): number {
  const { ResidualValue, ResidualInInstallment } = request;
  const { amount, currencyDigits, compiled, validation } = context;
  if (ResidualValue === undefined && compiled?.type.residualRequired === true) {
    validation.reportMissing('ResidualValue', `is missing; must be sent with ${compiled.type.name}`);
  }
  const residual = checkAmount(validation, 'ResidualValue', ResidualValue, currencyDigits) ?? 0;
  if (amount !== undefined && residual > amount) {
    const most = formatMinorUnits(amount, currencyDigits);
    validation.reject('ResidualValue', 'out-of-range', `must be at most Amount, ${most}`);
  }
  if (residual === 0 && ResidualInInstallment === true) validation.warn('ResidualInInstallment');
  return residual;
}

/** True for payments in advance, which must be level ones or equal parts, not by formulas: else a fault (B7). */
export function checkInterestType(
  interestType: number | undefined,
  compiled: CompiledScheduleType | undefined,
  validation: Validation,
): boolean {
  if (checkWhole(validation, 'InterestType', interestType, { min: 0, max: 1 }) !== 1) return false;
  if (compiled !== undefined && !repaysEvenly(compiled)) {
    const message = 'must be 0: only level payments and equal parts of the principal can be due in advance';
    validation.reject('InterestType', 'not-allowed', message);
  }
  return true;
}

/** Payments in advance exclude grace and a list of due dates (B7, D9). */
function parseInAdvance(
  request: RepaymentScheduleRequest,
  { compiled, validation }: RepaymentContext,
): boolean {
  if (!checkInterestType(request.InterestType, compiled, validation)) return false;
  if (findListedDates(request) !== undefined) {
    validation.reject('InterestType', 'not-allowed', 'must be 0 with DueDates');
  }
  for (const path of ['GracePeriodPrincipal', 'GracePeriodInterest'] as const) {
    if ((request[path] ?? 0) > 0) validation.reject(path, 'not-allowed', 'must be 0 with InterestType 1');
  }
  return true;
}

function repaysEvenly({ interest, payment, principal }: CompiledScheduleType): boolean {
  if (interest.kind === 'Formula') return false;
  return principal.kind === 'EqualParts' || (principal.kind === 'Balance' && payment.kind === 'Level');
}

/** A fixed payment requires level payments, a fixed principal equal parts, and both a type that allows them (B2). */
function parseFixedPayment(request: RepaymentScheduleRequest, context: RepaymentContext): number | undefined {
  const { compiled, currencyDigits, validation } = context;
  const payment = checkAmount(validation, 'installmentValue', request.installmentValue, currencyDigits) ?? 0;
  const part = checkAmount(validation, 'principalValue', request.principalValue, currencyDigits) ?? 0;
  if (payment > 0 && part > 0) {
    validation.reject('principalValue', 'not-allowed', 'must be left out when installmentValue is sent');
  }
  checkFixedSent(request, context);
  if (payment > 0) checkFixed('installmentValue', context);
  else if (part > 0) checkFixed('principalValue', context);
  if (request.AllowNegativeAmortisation === true && payment === 0)
    validation.warn('AllowNegativeAmortisation');
  const field = payment > 0 ? 'installmentValue' : 'principalValue';
  const fixed = payment + part;
  return fixed > 0 && (compiled === undefined || !readsFixed(field, compiled)) ? fixed : undefined;
}

/** If formulas read a fixed amount, one must be sent, even 0: otherwise nothing might be repaid before the last row. */
function checkFixedSent(request: RepaymentScheduleRequest, { compiled, validation }: RepaymentContext): void {
  if (compiled === undefined) return;
  const read = fixedFieldsRead(compiled);
  const [first] = read;
  if (first === undefined || read.some((path) => request[path] !== undefined)) return;
  const needed = first === read.at(-1) ? 'must' : `it or ${read.at(-1)} must`;
  validation.reportMissing(first, `is missing; ${needed} be sent with ${compiled.type.name}`);
}

/** The fixed amounts that formulas of the type read; a request must send one of them. */
export function fixedFieldsRead(compiled: CompiledScheduleType): readonly FixedField[] {
  return FIXED_FIELDS.filter((path) => readsFixed(path, compiled));
}

/** True if a formula reads the fixed amount and so defines its effect (S2). */
function readsFixed(path: FixedField, { namesRead }: CompiledScheduleType): boolean {
  return namesRead.has(path === 'installmentValue' ? 'LockedInstallment' : 'LockedPrincipal');
}

function checkFixed(path: FixedField, { compiled, validation }: RepaymentContext): void {
  if (compiled === undefined || readsFixed(path, compiled)) return;
  const { name, installmentValueCustom } = compiled.type;
  if (!installmentValueCustom) {
    validation.reject(path, 'not-allowed', `must be left out: ${name} accepts no fixed payment or principal`);
    return;
  }
  const needed = path === 'installmentValue' ? 'Balance' : 'EqualParts';
  if (compiled.principal.kind === needed) return;
  const other = path === 'installmentValue' ? 'principalValue' : 'installmentValue';
  validation.reject(path, 'not-allowed', `must be left out: ${name} accepts only ${other}`);
}

function parseCapitalShare(
  request: RepaymentScheduleRequest,
  { compiled, validation }: RepaymentContext,
): Pick<RepaymentTerms, 'capitalShare' | 'capitalPercent'> {
  const { CapitalPercent } = request;
  const isNeeded = compiled?.principal.kind === 'CapitalPercent';
  const isRead = isNeeded || compiled?.namesRead.has('CapitalPercent') === true;
  const allowed = `must be from 0 to ${MAX_CAPITAL_PERCENT}`;
  if (CapitalPercent === undefined && isNeeded) {
    validation.reportMissing('CapitalPercent', `is missing; ${allowed} with this schedule type`);
  }
  const isAllowed = CapitalPercent?.gte(0) === true && CapitalPercent.lte(MAX_CAPITAL_PERCENT);
  if (CapitalPercent !== undefined && !isAllowed)
    validation.reject('CapitalPercent', 'out-of-range', allowed);
  if (!isAllowed) return { capitalShare: undefined, capitalPercent: '0' };
  if (compiled !== undefined && !isRead && !CapitalPercent.isZero()) validation.warn('CapitalPercent');
  return { capitalShare: percentToRatio(CapitalPercent), capitalPercent: CapitalPercent.toFixed() };
}

function parseCapitalisation(
  request: RepaymentScheduleRequest,
  { compiled, validation }: RepaymentContext,
): boolean {
  const range = { min: 0, max: 1 };
  const sent = checkWhole(validation, 'InterestCapitalization', request.InterestCapitalization, range);
  const acts = compiled?.type.interestCapitalization ?? true;
  if (sent === 1 && !acts) validation.warn('InterestCapitalization');
  return sent === 1 && acts;
}

/** Blocked amounts apply only if IsLocked is true. BlockAmount is at most Amount less the residual (X2). */
function parseBlocked(
  request: RepaymentScheduleRequest,
  { amount, currencyDigits, validation }: RepaymentContext,
  residual: number,
): Pick<RepaymentTerms, 'blockAmount' | 'blockInterest'> {
  const blockAmount = checkAmount(validation, 'BlockAmount', request.BlockAmount, currencyDigits) ?? 0;
  const blockInterest =
    checkAmount(validation, 'BlockInterestAmount', request.BlockInterestAmount, currencyDigits) ?? 0;
  if (request.IsLocked !== true) {
    if (blockAmount > 0) validation.warn('BlockAmount');
    if (blockInterest > 0) validation.warn('BlockInterestAmount');
    return { blockAmount: 0, blockInterest: 0 };
  }
  if (blockAmount + blockInterest === 0 && !blocksCharges(request)) validation.warn('IsLocked');
  if (amount !== undefined && blockAmount > amount - residual) {
    const most = formatMinorUnits(Math.max(0, amount - residual), currencyDigits);
    validation.reject('BlockAmount', 'out-of-range', `must be at most Amount less ResidualValue, ${most}`);
  }
  return { blockAmount, blockInterest };
}

function blocksCharges({ Commission, Insurance }: RepaymentScheduleRequest): boolean {
  const blocked = [
    ...(Commission ?? []).map(({ BlockFeeAmount }) => BlockFeeAmount),
    ...(Insurance ?? []).map(({ BlockInsuranceAmount }) => BlockInsuranceAmount),
  ];
  return blocked.some((amount) => amount?.isZero() === false);
}

export interface Prepayment {
  readonly date: CalendarDate;
  /** Principal in minor units. */
  readonly amount: number;
  /** True if the term stays and the payment falls; false if the payment stays and the term shortens. */
  readonly decreasesPayment: boolean;
  readonly path: string;
}

/** The prepayments in order of date; those of the same day stay in the order of the request. */
function parsePrepayments(
  request: RepaymentScheduleRequest,
  digits: number,
  validation: Validation,
): readonly Prepayment[] {
  const prepayments: Prepayment[] = [];
  for (const [index, item] of (request.EarlyRepayments ?? []).entries()) {
    const path = `EarlyRepayments[${index}]`;
    const amount = checkAmount(validation, `${path}.Amount`, item.Amount, digits);
    if (amount === 0) validation.reject(`${path}.Amount`, 'out-of-range', 'must be more than zero');
    const decreasesPayment = item.DecreaseInstallment ?? true;
    if (amount !== undefined) prepayments.push({ date: item.Date, amount, decreasesPayment, path });
  }
  return prepayments.toSorted((a, b) => a.date - b.date);
}

/** Refuses prepayments on or before the day on which interest begins, or after the last row's interest ends (X3). */
export function checkPrepaymentDates(
  prepayments: readonly Prepayment[],
  dates: ScheduleDates,
  validation: Validation,
): void {
  const { accrualStart: start } = dates;
  const end = dates.accrualDates[dates.rowCount - 1] ?? start;
  for (const { date, path } of prepayments) {
    if (date > start && date <= end) continue;
    const allowed = `after ${formatCalendarDate(start)} and not after ${formatCalendarDate(end)}`;
    validation.reject(`${path}.Date`, 'date-order', `must be ${allowed}`);
  }
}
