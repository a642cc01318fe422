/**
 * A ReplyBatch in JSON. The answers are texts already: of megabytes nothing is parsed or written again, they are copied
 * once into bytes of exactly the length that is needed.
 */

import { HEADER } from '../header-names.ts';
import type { ReplyBatch, ReplyBatchItem } from './request-batch.ts';

/** The body of a ReplyBatch in JSON: `[{"id": ..., "status": ..., "headers": {...}, "body": ...}]`. */
export function writeJsonReplyBatch({ items }: ReplyBatch): Buffer {
  const openings = items.map((item, index) => `${index === 0 ? '[' : '},'}${openingOf(item)}`);
  const end = items.length === 0 ? '[]' : '}]';
  let length = end.length;
  for (const [index, { value }] of items.entries()) {
    length += Buffer.byteLength(openings[index] ?? '') + value.length;
  }
  const target = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [index, { value }] of items.entries()) {
    at += target.write(openings[index] ?? '', at);
    at += value.copy(target, at);
  }
  target.write(end, at, 'latin1');
  return target;
}

/** An item up to its body. */
function openingOf({ id, status, warnings, holidayCalendar }: ReplyBatchItem): string {
  const idText = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  if (warnings === undefined && holidayCalendar === undefined) return `{${idText}"status":${status},"body":`;
  const headers = { [HEADER.warnings]: warnings, [HEADER.holidayCalendar]: holidayCalendar };
  return `{${idText}"status":${status},"headers":${JSON.stringify(headers)},"body":`;
}
