/** The sample calls over HTTP, and the messages that result from them. */

import { readWholeCatalogue } from '../../shared/contract/catalogue-files/read-folder.ts';
import { MESSAGE_FORMS } from '../../shared/contract/actions/message-forms.ts';
import { smsCommandReader } from '../../shared/contract/notification/commands.ts';
import { productByCodeRequest } from '../../shared/contract/product/look-ups.ts';
import { repaymentScheduleRequest } from '../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../shared/lending/request/repayment-schedule.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { lookUpProduct, SECTION_FLAGS } from '../../shared/product/look-up/product-by-code.ts';

/** Bytes of the two Kafka messages of a call, so that the raw round trip has messages of the same size. */
export interface MessageSizes {
  readonly requestBytes: number;
  readonly replyBytes: number;
}

/** A call of the system over HTTP. */
export interface HttpCall {
  readonly scenario: string;
  /** The worker that answers it; if absent, the ingress answers. */
  readonly worker?: string;
  readonly path: string;
  /** The body for all connections, or for each one. */
  readonly body: string | ((slot: number) => string);
  /** Additional header lines. */
  readonly headers?: readonly string[];
  /** The catalogue that is published before the call. */
  readonly catalogueFolder?: string;
}

/** A call that is measured beside messages of the same size. */
export interface MeasuredCall extends HttpCall {
  readonly messageSizes: () => Promise<MessageSizes>;
}

const SOME_DAY = 20_000 as CalendarDate;

/** A typical consumer loan: twelve instalments with the effective rate. */
export const SAMPLE_BODY = JSON.stringify({
  jsonParam: {
    ScheduleType: 'EqualInstallments',
    ProductType: 'TL',
    InterestPercent: 7.25,
    Amount: 12_500,
    InstallmentsNo: 12,
    PeriodicityType: 'Monthly',
    InstallmentDay: 15,
    ActivationDate: '2024-01-10',
    CalculateDAE: 2,
  },
});

export const SCHEDULE_CALL: MeasuredCall = {
  scenario: 'Kafka: schedule over HTTP',
  worker: 'schedule',
  path: '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule',
  body: SAMPLE_BODY,
  messageSizes: async () => {
    const request = readBody(SAMPLE_BODY);
    return {
      requestBytes: await sizeOf('CalculateRepaymentScheduleRequest', request),
      replyBytes: await sizeOf('CalculateRepaymentScheduleReply', calculate(request)),
    };
  },
};

/** All flags of a product look-up. */
export const ALL_SECTIONS = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, true]));

const CATALOGUE_FOLDER = 'shared/product/example-catalogue';
const LOOK_UP = { BankingProductCode: 'TL-PERSONAL', ...ALL_SECTIONS };

/** All sections of a product of the example catalogue. */
export const LOOK_UP_CALL: MeasuredCall = {
  scenario: 'Kafka: product look-up over HTTP',
  worker: 'product',
  path: '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode',
  body: JSON.stringify(LOOK_UP),
  catalogueFolder: CATALOGUE_FOLDER,
  messageSizes: async () => {
    const { catalogue } = readWholeCatalogue(CATALOGUE_FOLDER);
    if (catalogue === undefined) throw new Error('the example catalogue is wrong');
    const read = productByCodeRequest.read(LOOK_UP);
    if (read.kind !== 'valid') throw new Error('the look-up is not valid');
    const found = lookUpProduct(read.payload, { catalogue, requestDay: SOME_DAY });
    if (found.kind !== 'found') throw new Error(`the product is not found: ${found.kind}`);
    return {
      requestBytes: await sizeOf('GetBankingProductByCodeRequest', read.payload),
      replyBytes: await sizeOf('GetBankingProductByCodeReply', { json: JSON.stringify(found.answer) }),
    };
  },
};

/** A personal loan of six months with its commissions, insurance and a discount, by the example catalogue. */
export const SIMULATE_CALL: HttpCall = {
  scenario: 'Kafka: Simulate over HTTP',
  worker: 'simulation',
  path: '/platapi/automation-processors/actions/PLAT_BP_Simulate',
  body: JSON.stringify({
    productCode: 'TL-PERSONAL',
    amount: 10_000,
    loanPeriod: 6,
    scheduleType: 'EqualInstallments',
    discount: [{ Name: 'Salary client' }],
    jsonFilterCommission: [
      { name: 'Amount', value: 10_000 },
      { name: 'Employer', value: 7 },
    ],
  }),
  catalogueFolder: CATALOGUE_FOLDER,
};

/** A valid Romanian mobile number; the last digits distinguish the receivers. */
const FIRST_NUMBER = 40_722_100_000;

const smsTo = (receiver: number) => ({
  sender: 'YourBank',
  message: 'Your card ending in 1234 was used for 45.00 EUR. If it was not you, call us now.',
  receiver: `+${FIRST_NUMBER + receiver}`,
});

/**
 * An accepted SMS, with a different receiver for each connection. It leads to a command and then to the record of its
 * acceptance.
 */
export const ACCEPT_CALL: MeasuredCall = {
  scenario: 'Kafka: SMS accepted over HTTP',
  path: '/api/notifications/v1/sms/send',
  body: (slot) => JSON.stringify(smsTo(slot)),
  headers: ['X-Communication-Channel: 1', 'X-Sender-Id: platrealm'],
  messageSizes: async () => {
    const notificationId = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
    const read = smsCommandReader.parse({ ...smsTo(0), notificationId }, { hasDefaultSender: true });
    if (read.kind !== 'valid') throw new Error('the sample is not valid');
    const acceptance = {
      notificationId,
      channel: 'sms',
      acceptedAt: Date.now(),
      owner: 'q83vEjRWeJCrze8S',
      bodyHash: '',
    };
    return {
      requestBytes: await sizeOf('SendSmsCommand', read.payload),
      replyBytes: await sizeOf('NotificationAcceptance', acceptance),
    };
  },
};

/** The codec that the workers use without a registry. */
export function benchCodec(): Codec {
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
}

/** The request in a body, as the ingress parses it. */
export function readBody(body: string): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(JSON.parse(body));
  if (read.kind !== 'valid') throw new Error(`the sample is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}

/** The schedule that the worker returns for a request. */
export function calculate(request: RepaymentScheduleRequest): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(request, { requestDay: SOME_DAY });
  if (outcome.kind !== 'schedule')
    throw new Error(`the sample is refused: ${JSON.stringify(outcome.faults)}`);
  return outcome;
}

async function sizeOf(type: string, payload: unknown): Promise<number> {
  return (await benchCodec().encode(type, payload, 'avro')).value.length;
}
