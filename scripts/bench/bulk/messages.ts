/** The very messages that the bulk lane exchanges: batches of contracts, and the replies to them. */

import type { Codec, MessageFormat } from '../../../shared/messaging/codec.ts';
import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { calculate } from '../calls/sample-messages.ts';
import { contractRequest } from './sample-portfolio.ts';

/** Contracts in a message, and messages under way: those of `npm run recalculate`. */
export const CONTRACTS_PER_BATCH = 100;
export const BATCHES_IN_FLIGHT = 16;
/** As many different messages are sent in turn: 4,000 contracts. */
const DIFFERENT_BATCHES = 40;
const FORMAT: MessageFormat = 'avro';
const STATUS_OK = 200;

/** A value with the headers that say what it is. */
interface Bytes {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/** The requests, as a requester sends them over and over. */
export function bulkRequests(codec: Codec): Promise<readonly Bytes[]> {
  return Promise.all(
    Array.from({ length: DIFFERENT_BATCHES }, (_, batch) => requestOf(codec, batch * CONTRACTS_PER_BATCH)),
  );
}

/** The replies to {@link bulkRequests}, in their order. */
export function bulkReplies(codec: Codec): Promise<readonly Bytes[]> {
  return Promise.all(
    Array.from({ length: DIFFERENT_BATCHES }, (_, batch) => replyOf(codec, batch * CONTRACTS_PER_BATCH)),
  );
}

async function requestOf(codec: Codec, from: number): Promise<Bytes> {
  const items = await Promise.all(
    numbers(from).map(async (index) => {
      const request = contractRequest(index);
      const { value } = await codec.encode('CalculateRepaymentScheduleRequest', request, FORMAT);
      return { id: String(index), value };
    }),
  );
  return codec.encode(REQUEST_BATCH, { items }, FORMAT);
}

async function replyOf(codec: Codec, from: number): Promise<Bytes> {
  const items = await Promise.all(
    numbers(from).map(async (index) => {
      const schedule = calculate(contractRequest(index));
      const { value } = await codec.encode('CalculateRepaymentScheduleReply', schedule, FORMAT);
      return { id: String(index), status: STATUS_OK, value };
    }),
  );
  return codec.encode(REPLY_BATCH, { items }, FORMAT);
}

function numbers(from: number): readonly number[] {
  return Array.from({ length: CONTRACTS_PER_BATCH }, (_, place) => from + place);
}
