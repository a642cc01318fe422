/**
 * Frees the space of removed records: closed segments are rewritten without them, the oldest first. A tombstone is dropped
 * only after the records that it removed, so that none of them comes back after a crash.
 */

import { readFileNow, type DiskIo } from './disk-io.ts';
import type { DiskLog } from './disk-partition.ts';
import { UNFINISHED, writeIndex, type DiskTopic, type Segment } from './disk-topic.ts';
import type { Row } from './row-columns.ts';
import { BATCH_HEAD_BYTES, headBytes, markOf, writeBatchHead, type SegmentHead } from './segment.ts';
import type { SegmentFiles } from './segment-files.ts';
import { SegmentIndex } from './segment-index.ts';

/** Segments are rewritten when more than this share of their bytes is free. */
const MAX_FREE_SHARE = 0.5;
/** Less than this share of a segment is not worth the writing. */
const MIN_FREE_SHARE_OF_SEGMENT = 1 / 8;

/**
 * Removes and rewrites closed segments of a topic where it is worthwhile, and makes the removal of messages durable. Rejects
 * with what the disk reports.
 */
export async function rewriteSegments(topic: DiskTopic, io: DiskIo, files: SegmentFiles): Promise<void> {
  const active = topic.activeSegment;
  if (active !== undefined && isWorthwhile([active], topic.segmentBytes)) topic.roll();
  const closed = [...topic.segments.values()]
    .filter(({ id }) => id !== active?.id)
    .toSorted((one, other) => one.id - other.id);
  const empty = topic.config.compact ? [] : closed.filter(({ liveBytes }) => liveBytes === 0);
  topic.retire(empty);
  await topic.saveRemovals();
  const left = closed.filter(({ id }) => topic.segments.has(id));
  if (!isWorthwhile(left, topic.segmentBytes)) return;
  for (const group of groupsToRewrite(left, topic.segmentBytes)) {
    if (topic.isDeleted) return;
    await rewrite(topic, group, io, files);
  }
}

function isWorthwhile(segments: readonly Segment[], segmentBytes: number): boolean {
  const all = segments.reduce((sum, { recordBytes }) => sum + recordBytes, 0);
  const live = segments.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
  return all - live > Math.max(segmentBytes * MIN_FREE_SHARE_OF_SEGMENT, all * MAX_FREE_SHARE);
}

/** Neighbours that fit into one segment together; those that need no change are left out. */
function groupsToRewrite(closed: readonly Segment[], segmentBytes: number): Segment[][] {
  const groups: Segment[][] = [];
  let bytes = Infinity;
  for (const segment of closed) {
    if (bytes + segment.liveBytes > segmentBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(segment);
    bytes += segment.liveBytes;
  }
  return groups.filter((group) => group.length > 1 || group.some((one) => one.liveBytes < one.recordBytes));
}

interface Copied {
  readonly log: DiskLog;
  readonly offset: number;
  readonly position: number;
  readonly bytes: number;
}

async function rewrite(
  topic: DiskTopic,
  group: readonly Segment[],
  io: DiskIo,
  files: SegmentFiles,
): Promise<void> {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return;
  const head = topic.replacingHead(first.id, last.last);
  const file = `${first.file}${UNFINISHED}`;
  const fd = io.open(file, 'new');
  let written: Output;
  try {
    written = await copyLive(topic, group, { fd, head, io });
    await io.sync(fd);
  } catch (error) {
    io.remove(file);
    throw error;
  } finally {
    io.close(fd);
  }
  if (topic.isDeleted) return;
  // Nothing awaits from here on, so that no reader sees rows of a file that is gone.
  files.drop(first.file);
  io.rename(file, first.file);
  writeIndex(io, first.file, written.index.toBytes(markOf(head), written.bytes, written.batches));
  moveRows(topic, group, written.copied);
  await topic.saveState();
  await topic.saveRemovals();
}

interface Output {
  readonly index: SegmentIndex;
  readonly copied: readonly Copied[];
  readonly bytes: number;
  readonly batches: number;
}

/** Copies the records that are still needed, one batch of each old segment. */
async function copyLive(
  topic: DiskTopic,
  group: readonly Segment[],
  target: { readonly fd: number; readonly head: SegmentHead; readonly io: DiskIo },
): Promise<Output> {
  const { fd, head, io } = target;
  const index = new SegmentIndex(topic.config.compact);
  const copied: Copied[] = [];
  const start = headBytes(head);
  io.write(fd, start, 0);
  let bytes = start.length;
  let batches = 0;
  for (const segment of group) {
    const rows = liveRows(topic, segment.id);
    if (rows.length === 0) continue;
    const content = readFileNow(io, segment.file) ?? Buffer.alloc(0);
    // One segment of 8 MiB blocks for milliseconds; others run in between.
    await io.sync(fd);
    const size = rows.reduce((sum, [, row]) => sum + row.bytes, BATCH_HEAD_BYTES);
    const batch = Buffer.allocUnsafe(size);
    writeBatchHead(batch, markOf(head), {
      number: batches,
      bytes: size - BATCH_HEAD_BYTES,
      count: rows.length,
    });
    let at = BATCH_HEAD_BYTES;
    for (const [log, row] of rows) {
      content.copy(batch, at, row.position, row.position + row.bytes);
      index.push(log.partition, { ...row, position: bytes + at });
      copied.push({ log, offset: row.offset, position: bytes + at, bytes: row.bytes });
      at += row.bytes;
    }
    io.write(fd, batch, bytes);
    bytes += size;
    batches += 1;
  }
  return { index, copied, bytes, batches };
}

function liveRows(topic: DiskTopic, segment: number): (readonly [DiskLog, Row])[] {
  return topic.logs.flatMap((log) => {
    const rows: (readonly [DiskLog, Row])[] = [];
    for (let at = log.rows.firstOfSegment(segment); log.rows.segment(at) === segment; at += 1) {
      if (at >= log.rows.length) break;
      rows.push([log, log.rows.row(at)]);
    }
    return rows;
  });
}

/** Points the rows to the copies. Records that were removed meanwhile stay in the file as free space. */
function moveRows(topic: DiskTopic, group: readonly Segment[], copied: readonly Copied[]): void {
  const [first] = group;
  if (first === undefined) return;
  const merged: Segment = { ...first, last: group.at(-1)?.last ?? first.last, recordBytes: 0, liveBytes: 0 };
  topic.retire(group.slice(1));
  for (const { log, offset, position, bytes } of copied) {
    merged.recordBytes += bytes;
    const at = log.rows.indexOf(offset);
    if (at >= log.rows.length || log.rows.offset(at) !== offset) continue;
    merged.liveBytes += bytes;
    log.rows.move(at, first.id, position);
  }
  topic.segments.set(first.id, merged);
}
