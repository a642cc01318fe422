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
} from '../../product/simulation/simulation-result.ts';

/** ScheduleJson: row 0 is the down payment; `insurance` and `capitalisedInterest` are present only if there are any. */
export function formatScheduleJson({
  rows,
  currencyDigits,
}: Pick<SimulationRecord, 'rows' | 'currencyDigits'>): string {
  return `{"paymentSchedule":[${rows.map((row) => rowText(row, currencyDigits)).join(',')}]}`;
}

function rowText(row: SimulationRow, digits: number): string {
  const amount = (name: string, minor: number | undefined): string =>
    minor === undefined ? '' : `,"${name}":${formatMinorUnits(minor, digits)}`;
  return (
    `{"InstallmentNo":${row.InstallmentNo}` +
    amount('remainingValue', row.remainingValue) +
    amount('pMT', row.pmt) +
    amount('interest', row.interest) +
    amount('principal', row.principal) +
    amount('managementFee', row.managementFee) +
    amount('totalInstallment', row.totalInstallment) +
    amount('insurance', row.insurance) +
    `${amount('capitalisedInterest', row.capitalisedInterest)}}`
  );
}

/** OutputInterestJson. */
export function formatInterestJson({ basePercent, discountValue, discountPercent }: OfferedInterest): string {
  return objectText([
    ['BaseInterestPercent', numberText(basePercent)],
    ['InterestDiscountValue', numberText(discountValue)],
    ['InterestDiscountPercent', numberText(discountPercent)],
  ]);
}

/** OutputCommissionJson. */
export function formatCommissionsJson(commissions: readonly OfferedCharge[]): string {
  return listText(commissions, {
    currency: 'CurrencyId',
    periodicity: 'FeePeriodicityType',
    date: 'FeeDate',
    id: 'FeeId',
  });
}

/** OutputInsuranceJson. */
export function formatInsurancesJson(insurances: readonly OfferedCharge[]): string {
  return listText(insurances, {
    currency: 'CurrenctyId',
    periodicity: 'InsurancePeriodicityType',
    date: 'InsuranceDate',
    id: 'InsuranceId',
  });
}

/** Names of fields that differ between commissions and insurances. */
interface ChargeFieldNames {
  readonly currency: string;
  readonly periodicity: string;
  readonly date: string;
  readonly id: string;
}

function listText(charges: readonly OfferedCharge[], fields: ChargeFieldNames): string {
  return `[${charges.map((charge) => chargeText(charge, fields)).join(',')}]`;
}

function chargeText(charge: OfferedCharge, fields: ChargeFieldNames): string {
  return objectText([
    ['Name', JSON.stringify(charge.name)],
    ['Value', numberText(charge.value)],
    ['Percent', numberText(charge.percent)],
    ['BaseValue', numberText(charge.baseValue)],
    ['BasePercent', numberText(charge.basePercent)],
    ['DiscountValue', numberText(charge.discountValue)],
    ['DiscountPercent', numberText(charge.discountPercent)],
    ['ValueIsPercent', String(charge.valueIsPercent)],
    [fields.currency, JSON.stringify(charge.currencyId)],
    [fields.periodicity, JSON.stringify(charge.periodicityType)],
    [fields.date, JSON.stringify(formatCalendarDate(charge.date))],
    [fields.id, JSON.stringify(charge.id)],
    ['IsUpfront', String(charge.isUpfront)],
  ]);
}

function objectText(fields: readonly (readonly [name: string, text: string])[]): string {
  return `{${fields.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

function numberText(value: Decimal | null): string {
  return value === null ? 'null' : value.toFixed();
}
