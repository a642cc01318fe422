import { readWholeCatalogue } from '../../../shared/contract/catalogue-files/read-folder.ts';
import { productByCodeRequest } from '../../../shared/contract/product/look-ups.ts';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import type { Codec, Encoded } from '../../../shared/messaging/codec.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { lookUpProduct } from '../../../shared/product/look-up/product-by-code.ts';
import { LOOK_UP_CALL } from './sample-look-up.ts';
import { SAMPLE_BODY } from './sample-request.ts';

const SOME_DAY = 20_000 as CalendarDate;

/** The codec that the workers use without a registry. */
export function benchCodec(): Codec {
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
}

/** The request of a body, as the ingress reads it. */
export function readBody(body: string): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(JSON.parse(body));
  if (read.kind !== 'valid') throw new Error(`the sample is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}

/** The schedule of a request, as the worker answers it. */
export function calculate(request: RepaymentScheduleRequest): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(request, { requestDay: SOME_DAY });
  if (outcome.kind !== 'schedule')
    throw new Error(`the sample is refused: ${JSON.stringify(outcome.faults)}`);
  return outcome;
}

async function sizeOf(encoded: Encoded | Promise<Encoded>): Promise<number> {
  return (await encoded).value.length;
}

/** Sizes of the messages of a look-up, as below. */
export async function lookUpMessageSizes(): Promise<{ requestBytes: number; replyBytes: number }> {
  const { catalogue } = readWholeCatalogue(LOOK_UP_CALL.catalogueFolder ?? '');
  if (catalogue === undefined) throw new Error('the example catalogue is wrong');
  const read = productByCodeRequest.read(JSON.parse(LOOK_UP_CALL.body));
  if (read.kind !== 'valid') throw new Error('the look-up is not valid');
  const found = lookUpProduct(read.payload, { catalogue, requestDay: SOME_DAY });
  if (found.kind !== 'found') throw new Error(`the product is not found: ${found.kind}`);
  const codec = benchCodec();
  return {
    requestBytes: await sizeOf(codec.encode('GetBankingProductByCodeRequest', read.payload, 'avro')),
    replyBytes: await sizeOf(
      codec.encode('GetBankingProductByCodeReply', { json: JSON.stringify(found.answer) }, 'avro'),
    ),
  };
}

/** Sizes of the sample's messages as they stand on the log, so that the raw round trip carries as much. */
export async function sampleMessageSizes(): Promise<{ requestBytes: number; replyBytes: number }> {
  const codec = benchCodec();
  const request = readBody(SAMPLE_BODY);
  return {
    requestBytes: await sizeOf(codec.encode('CalculateRepaymentScheduleRequest', request, 'avro')),
    replyBytes: await sizeOf(codec.encode('CalculateRepaymentScheduleReply', calculate(request), 'avro')),
  };
}
