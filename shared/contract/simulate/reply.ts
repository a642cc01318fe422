/** The answer of `PLAT_BP_Simulate` (interface section 4.4) and the payload of its reply message. */

import { z } from 'zod';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import type { RequestWarning } from '../../lending/request/validation.ts';
import type { SimulationRecord } from '../../product/simulation/simulation.ts';
import { plainText, textOrNull, wholeNumber } from '../../platform/reply-kinds.ts';
import {
  formatCommissionsJson,
  formatInsurancesJson,
  formatInterestJson,
  formatScheduleJson,
} from './simulation-json.ts';

const figure = (description: string) => z.number().describe(description);

const record = z
  .strictObject({
    InterestPercent: plainText('Annual rate after discounts, with four decimals, such as 7.9500% (Q4, Q5).'),
    IRR: textOrNull('Internal rate of return, such as 8.2413%; null when there is none (A3, Q4).'),
    FirstInstallment: figure('Total of the first installment, with all charges.'),
    FirstInsurance: figure('Insurances of the first installment.'),
    TotalInsurance: figure('Insurances of all installments.'),
    FirstFee: figure('Commissions of the first installment.'),
    TotalFee: figure('Commissions of all installments.'),
    Total: figure('Sum of all installments, including the down payment.'),
    ScheduleJson: plainText(
      'JSON text of an object with paymentSchedule, the rows InstallmentNo, remainingValue, pMT, interest, principal, ' +
        'managementFee, totalInstallment, and insurance and capitalisedInterest if there are any. Row 0 is the down payment (Q1, Q2).',
    ),
    InterestId: plainText('GUID of the interest (Q3).'),
    InterestListId: plainText('GUID of its list (Q3).'),
    InterestCommissionItemId: plainText('GUID of the interest-commission item of the product (Q3).'),
    CommissionListId: textOrNull('GUID of the commission list; null: the item has none (Q3).'),
    cntInterestId: wholeNumber('Number of different interests in all records.'),
    cntInterestCommissionItemId: wholeNumber('Number of different interest-commission items in all records.'),
    OutputInterestJson: plainText(
      'JSON text of an object with BaseInterestPercent, InterestDiscountValue and InterestDiscountPercent (Q5).',
    ),
    OutputCommissionJson: plainText(
      'JSON text of a list of commissions: Name, Value, Percent, BaseValue, BasePercent, DiscountValue, DiscountPercent, ' +
        'ValueIsPercent, CurrencyId, FeePeriodicityType, FeeDate, FeeId, IsUpfront (Q5, Q6).',
    ),
    OutputInsuranceJson: plainText(
      'JSON text of a list of insurances: as commissions, with CurrenctyId, InsurancePeriodicityType, InsuranceDate and InsuranceId (Q5, Q6).',
    ),
  })
  .meta({ id: 'SimulationRecord' });

/** The answer of `PLAT_BP_Simulate`. */
export const simulateReply = z.strictObject({
  Records: z.array(record).describe('One for each interest that is offered, in the order of the catalogue.'),
  ReturnValue: z.literal(0).meta({ type: 'integer', description: 'Always 0.' }),
});

/** A record in a message: amounts are whole minor units of `currencyDigits` decimals. */
export type SimulatePayloadRecord = Omit<z.output<typeof record>, 'IRR' | 'CommissionListId'> & {
  readonly currencyDigits: number;
  readonly IRR: string | null | undefined;
  readonly CommissionListId: string | null | undefined;
};

/** The payload of the reply. */
export interface SimulatePayload {
  readonly Records: readonly SimulatePayloadRecord[];
  readonly ReturnValue: number;
  /** Fields of the request that had no effect. */
  readonly warnings: readonly RequestWarning[];
}

/** Creates the payload of the records of a simulation. */
export function simulatePayload(
  records: readonly SimulationRecord[],
  warnings: readonly RequestWarning[],
): SimulatePayload {
  return { Records: records.map(payloadRecord), ReturnValue: 0, warnings };
}

function payloadRecord(offer: SimulationRecord): SimulatePayloadRecord {
  return {
    currencyDigits: offer.currencyDigits,
    InterestPercent: offer.interestPercent,
    IRR: offer.irr,
    FirstInstallment: offer.firstInstallment,
    FirstInsurance: offer.firstInsurance,
    TotalInsurance: offer.totalInsurance,
    FirstFee: offer.firstFee,
    TotalFee: offer.totalFee,
    Total: offer.total,
    ScheduleJson: formatScheduleJson(offer),
    InterestId: offer.interestId,
    InterestListId: offer.interestListId,
    InterestCommissionItemId: offer.interestCommissionItemId,
    CommissionListId: offer.commissionListId,
    cntInterestId: offer.cntInterestId,
    cntInterestCommissionItemId: offer.cntInterestCommissionItemId,
    OutputInterestJson: formatInterestJson(offer.interest),
    OutputCommissionJson: formatCommissionsJson(offer.commissions),
    OutputInsuranceJson: formatInsurancesJson(offer.insurances),
  };
}

/** Writes the answer as JSON text. A null in Avro is decoded as absent. */
export function renderSimulation({ Records, ReturnValue }: SimulatePayload): string {
  return `{"Records":[${Records.map(recordText).join(',')}],"ReturnValue":${ReturnValue}}`;
}

const AMOUNTS: ReadonlySet<string> = new Set<keyof SimulatePayloadRecord>([
  'FirstInstallment',
  'FirstInsurance',
  'TotalInsurance',
  'FirstFee',
  'TotalFee',
  'Total',
]);
const FIELDS = Object.keys(record.shape) as readonly (keyof typeof record.shape)[];

function recordText(sent: SimulatePayloadRecord): string {
  const fields = FIELDS.map((name) => {
    const value = sent[name] ?? null;
    const isAmount = AMOUNTS.has(name) && typeof value === 'number';
    return `"${name}":${isAmount ? formatMinorUnits(value, sent.currencyDigits) : JSON.stringify(value)}`;
  });
  return `{${fields.join(',')}}`;
}
