/** The contracts for measurements of the bulk lane, and the messages with these contracts and their results. */

import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { Codec, Encoded } from '../../../shared/messaging/codec.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { calculate } from '../samples.ts';

/** Contracts per message, and messages in flight, as in `npm run recalculate`. */
export const CONTRACTS_PER_BATCH = 100;
export const BATCHES_IN_FLIGHT = 16;
/** Number of distinct messages, which are sent cyclically: 4,000 contracts. */
const DIFFERENT_BATCHES = 40;
const STATUS_OK = 200;
const ROWS = 60;
/** Contracts vary in amount, rate, month and day. */
const AMOUNTS = 9_973;
const RATES = 997;
const MONTHS = 12;
const DAYS = 28;

/**
 * A consumer loan of sixty months with the effective rate, in the form of a portfolio line: `{jsonParam: ...}`. All
 * contracts differ.
 */
export function contractBody(index: number): { readonly jsonParam: Readonly<Record<string, unknown>> } {
  const day = (index % DAYS) + 1;
  const month = (index % MONTHS) + 1;
  return {
    jsonParam: {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: (300 + (index % RATES)) / 100,
      Amount: 5_000 + (index % AMOUNTS),
      InstallmentsNo: ROWS,
      PeriodicityType: 'Monthly',
      InstallmentDay: day,
      ActivationDate: `2024-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
      CalculateDAE: 2,
    },
  };
}

/** The batches of requests that a requester sends repeatedly. */
export function bulkRequests(codec: Codec): Promise<readonly Encoded[]> {
  return batches(codec, REQUEST_BATCH, async (index) => {
    const { value } = await codec.encode('CalculateRepaymentScheduleRequest', contractRequest(index), 'avro');
    return { id: String(index), value };
  });
}

/** The replies to {@link bulkRequests}, in their order. */
export function bulkReplies(codec: Codec): Promise<readonly Encoded[]> {
  return batches(codec, REPLY_BATCH, async (index) => {
    const schedule = calculate(contractRequest(index));
    const { value } = await codec.encode('CalculateRepaymentScheduleReply', schedule, 'avro');
    return { id: String(index), status: STATUS_OK, value };
  });
}

function batches(
  codec: Codec,
  type: string,
  itemOf: (index: number) => Promise<object>,
): Promise<readonly Encoded[]> {
  const numbers = Array.from({ length: DIFFERENT_BATCHES }, (_, batch) =>
    Array.from({ length: CONTRACTS_PER_BATCH }, (__, place) => batch * CONTRACTS_PER_BATCH + place),
  );
  return Promise.all(
    numbers.map(async (batch) =>
      codec.encode(type, { items: await Promise.all(batch.map((index) => itemOf(index))) }, 'avro'),
    ),
  );
}

/** A contract as the ingress reads it. */
function contractRequest(index: number): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(contractBody(index));
  if (read.kind !== 'valid') throw new Error(`the contract is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}
