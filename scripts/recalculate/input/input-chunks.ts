/** Records to chunks, with the digest of all that was read up to the end of each. */

import { createHash, type Hash } from 'node:crypto';
import type { InputChunk, InputRecord } from './records.ts';
import type { RawRecord } from './raw-records.ts';

/** Most rows of a chunk: what is calculated for one batch, and answered in one message. */
export const MAX_CHUNK_ROWS = 12_000;
/** Most bytes of a chunk that has more than one record; bounds what a batch in flight holds, former schedules included. */
const MAX_CHUNK_BYTES = 1_048_576;
/** Most records of a chunk beyond its contracts: refused lines travel nowhere, but are held. */
const MAX_REFUSED = 500;

/** Fingerprint of the records read so far. */
export interface InputDigest {
  add(raw: RawRecord): void;
  /** Of all that was added, in hexadecimal. */
  text(): string;
}

/** SHA-256 over the bytes of the records, line ends included; blank lines are no part of it. */
export function createInputDigest(): InputDigest {
  const hash: Hash = createHash('sha256');
  return {
    add: ({ bytes }) => void hash.update(bytes),
    text: () => hash.copy().digest('hex'),
  };
}

/** Collects records into chunks. */
export interface ChunkBuilder {
  /** Takes the next record of the input, undefined where it says nothing; answers a chunk that is complete. */
  add(raw: RawRecord, record: InputRecord | undefined): InputChunk | undefined;
  /** What is left at the end. */
  end(): InputChunk | undefined;
}

/** Chunks of at most so many contracts, {@link MAX_CHUNK_ROWS} rows and 1 MiB of text; `digest` may know earlier records. */
export function createChunkBuilder(
  maxContracts: number,
  digest: InputDigest,
  bytesRead: () => number,
): ChunkBuilder {
  let records: InputRecord[] = [];
  let contracts = 0;
  let rows = 0;
  let bytes = 0;
  let lastLine = 0;

  const isFull = (): boolean => contracts === maxContracts || records.length - contracts === MAX_REFUSED;
  const close = (): InputChunk | undefined => {
    if (records.length === 0) return undefined;
    const chunk = { records, lastLine, digest: digest.text(), bytesRead: bytesRead() };
    records = [];
    contracts = 0;
    rows = 0;
    bytes = 0;
    return chunk;
  };
  return {
    add: (raw, record) => {
      const newRows = record?.kind === 'contract' ? record.rows : 0;
      const isBeyond = rows + newRows > MAX_CHUNK_ROWS || bytes + raw.bytes.length > MAX_CHUNK_BYTES;
      const before = isBeyond || isFull() ? close() : undefined;
      digest.add(raw);
      lastLine = raw.line;
      if (record === undefined) return before;
      records.push(record);
      rows += newRows;
      bytes += raw.bytes.length;
      if (record.kind === 'contract') contracts += 1;
      return before ?? (isFull() ? close() : undefined);
    },
    end: close,
  };
}
