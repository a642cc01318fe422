import type { Encoded } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import type { OutgoingMessage } from '../message.ts';
import type { OutgoingRequest } from './requester.ts';

/** Where the reply goes. */
export interface ReplyTo {
  readonly topic: string;
  readonly partition?: number;
}

const INT32_BYTES = 4;

/** The record of a request: reply address, deadline, and the time that it entered the log (D2), in epoch milliseconds. */
export function createRequestMessage(
  request: OutgoingRequest,
  correlationId: string,
  { encoded, replyTo, nowMs }: { encoded: Encoded; replyTo: ReplyTo; nowMs: number },
): OutgoingMessage {
  return {
    topic: request.topic,
    key: request.key ?? correlationId,
    value: encoded.value,
    timestampMs: nowMs,
    ...(request.partition === undefined ? {} : { partition: request.partition }),
    headers: {
      ...encoded.headers,
      [HEADER.replyTopic]: replyTo.topic,
      ...(replyTo.partition === undefined ? {} : { [HEADER.replyPartition]: int32(replyTo.partition) }),
      [HEADER.correlationId]: correlationId,
      [HEADER.deadline]: String(nowMs + request.timeoutMs),
      [HEADER.originTimestamp]: String(request.originTimestampMs ?? nowMs),
      ...(request.traceParent === undefined ? {} : { [HEADER.traceParent]: request.traceParent }),
    },
  };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(INT32_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}
