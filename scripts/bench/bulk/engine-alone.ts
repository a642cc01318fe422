/**
 * Child process that measures the cost of each contract of a batch without a broker. For the requested time it decodes
 * batches, validates and calculates their contracts, and encodes the replies as a batch. Returns the contracts per
 * second.
 */
import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { BUILT_IN_CATALOGUE } from '../../../shared/lending/schedule-types/schedule-catalogue.ts';
import {
  REPLY_BATCH,
  type BatchItem,
  type EncodedBatch,
  openAtOnce,
} from '../../../shared/messaging/codec/request-batch.ts';
import { answerParent } from '../processes.ts';
import { benchCodec } from '../samples.ts';
import { bulkRequests, CONTRACTS_PER_BATCH } from './contracts.ts';

const MS_PER_SECOND = 1_000;
const STATUS_OK = 200;
const SOME_DAY = 20_000 as CalendarDate;
const codec = benchCodec();
const requests = await bulkRequests(codec);
let next = 0;

answerParent(measure);

async function measure({ measureMs }: { readonly measureMs: number }): Promise<number> {
  const startedAt = performance.now();
  let contracts = 0;
  let elapsedMs = 0;
  while (elapsedMs < measureMs) {
    await answerBatch();
    contracts += CONTRACTS_PER_BATCH;
    elapsedMs = performance.now() - startedAt;
  }
  return (contracts * MS_PER_SECOND) / elapsedMs;
}

async function answerBatch(): Promise<void> {
  const request = requests[next % requests.length];
  next += 1;
  if (request === undefined) return;
  const decoded = await codec.decode(request);
  if (decoded.kind !== 'decoded') throw new Error('the batch cannot be decoded');
  const opened = openAtOnce(decoded.payload as EncodedBatch);
  if (opened.kind !== 'items') throw new Error('the batch cannot be opened');
  const items = [];
  for (const item of opened.items) items.push(await answerItem(item));
  await codec.encode(REPLY_BATCH, { items }, 'avro');
}

async function answerItem(item: BatchItem): Promise<{ id?: string | number; status: number; value: Buffer }> {
  const late = item.decode();
  const decoded = late instanceof Promise ? await late : late;
  if (decoded.kind !== 'decoded') throw new Error('the contract cannot be decoded');
  const request = decoded.payload as RepaymentScheduleRequest;
  if (repaymentScheduleRequest.check(request, BUILT_IN_CATALOGUE) !== undefined)
    throw new Error('the contract is refused');
  const schedule = calculateRepaymentSchedule(request, { requestDay: SOME_DAY });
  if (schedule.kind !== 'schedule') throw new Error('the contract is refused');
  const encoded = codec.encode('CalculateRepaymentScheduleReply', schedule, 'avro');
  const { value } = encoded instanceof Promise ? await encoded : encoded;
  return { ...(item.id === undefined ? {} : { id: item.id }), status: STATUS_OK, value };
}
