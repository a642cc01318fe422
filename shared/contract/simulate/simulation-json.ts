/**
 * The JSON strings in a simulation record (interface 4.4): ScheduleJson, OutputInterestJson, OutputCommissionJson and
 * OutputInsuranceJson. Field names are those of the interface, including CurrenctyId of insurances. Numbers keep all
 * digits; amounts of rows have the decimals of the currency.
 */

import type { Decimal } from 'decimal.js';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import type {
  OfferedCharge,
  OfferedInterest,
  SimulationRecord,
  SimulationRow,
} from '../../product/simulation/simulation.ts';

/** ScheduleJson: row 0 is the down payment; `insurance` and `capitalisedInterest` are present only if there are any. */
export function formatScheduleJson({
  rows,
  currencyDigits,
}: Pick<SimulationRecord, 'rows' | 'currencyDigits'>): string {
  return JSON.stringify({ paymentSchedule: rows.map((row) => shownRow(row, currencyDigits)) });
}

function shownRow(row: SimulationRow, digits: number): object {
  const amount = (minor: number | undefined) =>
    minor === undefined ? undefined : JSON.rawJSON(formatMinorUnits(minor, digits));
  return {
    InstallmentNo: row.InstallmentNo,
    remainingValue: amount(row.remainingValue),
    pMT: amount(row.pmt),
    interest: amount(row.interest),
    principal: amount(row.principal),
    managementFee: amount(row.managementFee),
    totalInstallment: amount(row.totalInstallment),
    insurance: amount(row.insurance),
    capitalisedInterest: amount(row.capitalisedInterest),
  };
}

/** OutputInterestJson. */
export function formatInterestJson({ basePercent, discountValue, discountPercent }: OfferedInterest): string {
  return JSON.stringify({
    BaseInterestPercent: figure(basePercent),
    InterestDiscountValue: figure(discountValue),
    InterestDiscountPercent: figure(discountPercent),
  });
}

/** OutputCommissionJson. */
export function formatCommissionsJson(commissions: readonly OfferedCharge[]): string {
  const shown = commissions.map((charge) => ({
    ...figuresOf(charge),
    CurrencyId: charge.currencyId,
    FeePeriodicityType: charge.periodicityType,
    FeeDate: formatCalendarDate(charge.date),
    FeeId: charge.id,
    IsUpfront: charge.isUpfront,
  }));
  return JSON.stringify(shown);
}

/** OutputInsuranceJson. */
export function formatInsurancesJson(insurances: readonly OfferedCharge[]): string {
  const shown = insurances.map((charge) => ({
    ...figuresOf(charge),
    CurrenctyId: charge.currencyId,
    InsurancePeriodicityType: charge.periodicityType,
    InsuranceDate: formatCalendarDate(charge.date),
    InsuranceId: charge.id,
    IsUpfront: charge.isUpfront,
  }));
  return JSON.stringify(shown);
}

function figuresOf(charge: OfferedCharge): object {
  return {
    Name: charge.name,
    Value: figure(charge.value),
    Percent: figure(charge.percent),
    BaseValue: figure(charge.baseValue),
    BasePercent: figure(charge.basePercent),
    DiscountValue: figure(charge.discountValue),
    DiscountPercent: figure(charge.discountPercent),
    ValueIsPercent: charge.valueIsPercent,
  };
}

function figure(value: Decimal | null): unknown {
  return value === null ? null : JSON.rawJSON(value.toFixed());
}
