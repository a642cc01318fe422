import type { Decoded, MessageFormat } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import { headerNumber, headerText, headerValue } from '../headers.ts';
import type { HeaderValue, LogMessage } from '../message.ts';

/** A request on its way through the policies: the message, what its headers say, and what was decoded of it. */
export interface Request {
  readonly message: LogMessage;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the process stops waiting for what is still running. */
  readonly signal: AbortSignal;
  /** As sent: any bytes. */
  readonly correlationId: HeaderValue | undefined;
  /** Epoch milliseconds; the record's own timestamp where the header is absent (D2). */
  readonly originTimestampMs: number;
  /** Epoch milliseconds. */
  readonly deadlineMs: number | undefined;
  readonly traceParent: string | undefined;
  /** Replies are written in the request's own format; decoding corrects this guess by the first byte. */
  format: MessageFormat;
  decoded: Extract<Decoded, { kind: 'decoded' }> | undefined;
  /** The silent reply partition that this attempt tries, if it does (reply-router.ts). */
  probedPartition: string | undefined;
}

/** First byte of a message in the Confluent wire format. */
const AVRO_MAGIC = 0;

/** Reads a request's headers. Never throws: a header that makes no sense counts as absent. */
export function readRequest(message: LogMessage, attempt: number, signal: AbortSignal): Request {
  const { headers } = message;
  return {
    message,
    attempt,
    signal,
    correlationId: headerValue(headers, HEADER.correlationId),
    originTimestampMs: headerNumber(headers, HEADER.originTimestamp) ?? message.timestampMs,
    deadlineMs: headerNumber(headers, HEADER.deadline),
    traceParent: headerText(headers, HEADER.traceParent),
    format: message.value?.[0] === AVRO_MAGIC ? 'avro' : 'json',
    decoded: undefined,
    probedPartition: undefined,
  };
}
