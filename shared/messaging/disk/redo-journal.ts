import path from 'node:path';
import { dataDamaged } from './disk-errors.ts';
import { readFully, type DiskIo } from './disk-io.ts';
import { fileName } from './disk-topic.ts';
import type { Journal, JournalPiece } from './commit-journal.ts';
import { FIXED_HEAD_BYTES, headLength, markOf, readHead } from './segment.ts';

interface Target {
  readonly file: string;
  readonly fd: number;
  readonly mark: Buffer;
  bytes: number;
}

/**
 * Writes the batches of the journal to their segments once more, syncs these, and removes the journal. Batches for segments
 * that were removed or rewritten since are left out. Throws MessagingError `data-damaged`, and what the disk reports.
 */
export function redoJournal(journal: Journal, folder: string, io: DiskIo): void {
  const targets = new Map<string, Target | undefined>();
  const targetOf = (piece: JournalPiece): Target | undefined => {
    const file = path.join(folder, piece.folder, fileName(piece.segment));
    if (!targets.has(file)) targets.set(file, openTarget(file, io));
    return targets.get(file);
  };
  try {
    journal.replay((piece) => {
      const target = targetOf(piece);
      if (target === undefined || target.mark.compare(piece.content, 0, target.mark.length) !== 0) return;
      if (piece.position > target.bytes) throw dataDamaged(target.file, target.bytes);
      io.write(target.fd, piece.content, piece.position);
      target.bytes = Math.max(target.bytes, piece.position + piece.content.length);
    });
    for (const target of targets.values()) if (target !== undefined) io.syncNow(target.fd);
  } finally {
    for (const target of targets.values()) if (target !== undefined) io.close(target.fd);
  }
  journal.removeClosed();
}

/** Undefined: there is no such segment. */
function openTarget(file: string, io: DiskIo): Target | undefined {
  const bytes = io.size(file);
  if (bytes === undefined) return undefined;
  const fd = io.open(file, 'existing');
  const fixed = Buffer.alloc(FIXED_HEAD_BYTES);
  const found = headLength(fixed.subarray(0, readFully(io, fd, fixed, 0))) ?? 0;
  const content = Buffer.alloc(Math.min(found, bytes));
  const head = readHead(content.subarray(0, readFully(io, fd, content, 0)), file);
  if (head !== undefined) return { file, fd, mark: markOf(head), bytes };
  io.close(fd);
  return undefined;
}
