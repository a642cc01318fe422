/** Portfolios for tests: read from memory in blocks of any size, as whole chunks or as one list of records. */

import { Readable } from 'node:stream';
import type {
  CsvOptions,
  InputChunk,
  InputFormat,
  InputRecord,
} from '../../../scripts/recalculate/input-records.ts';
import { openInput } from '../../../scripts/recalculate/read-portfolio.ts';

export const PLAIN_LOAN = {
  ScheduleType: 'EqualInstallments',
  Amount: 12_000.5,
  InstallmentsNo: 12,
  PeriodicityType: 'Monthly',
  InstallmentDay: 15,
  InterestPercent: 7.25,
  ActivationDate: '2024-01-31',
};

export function contractLine(id: unknown, members: object = {}): string {
  return JSON.stringify({ id, jsonParam: { ...PLAIN_LOAN, ...members } });
}

/** Splits the bytes into blocks at the given positions. */
export function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...places.toSorted((one, other) => one - other), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

interface Reading {
  readonly format?: InputFormat;
  readonly maxContracts?: number;
  readonly csv?: CsvOptions;
  readonly skip?: { readonly lastLine: number; readonly digest: string };
}

export async function readChunks(
  sent: string | Buffer | readonly Buffer[],
  { format = 'ndjson', maxContracts = 100, csv, skip }: Reading = {},
): Promise<readonly InputChunk[]> {
  const blocks = Array.isArray(sent) ? (sent as readonly Buffer[]) : [Buffer.from(sent as string)];
  const stdin = Readable.from(blocks.filter(({ length }) => length > 0));
  const input = await openInput({ file: '-', format, maxContracts, csv, stdin });
  try {
    if (skip !== undefined) await input.skip(skip.lastLine, skip.digest);
    const chunks: InputChunk[] = [];
    for await (const chunk of input.records()) chunks.push(chunk);
    return chunks;
  } finally {
    input.close();
  }
}

export async function readRecords(
  sent: string | Buffer | readonly Buffer[],
  format: InputFormat = 'ndjson',
  csv?: CsvOptions,
): Promise<readonly InputRecord[]> {
  return (await readChunks(sent, { format, ...(csv && { csv }) })).flatMap(({ records }) => records);
}

/** `line: id` for a record that was read, or `line: code path` for a refused one, with the path of its first fault. */
export function outline(records: readonly InputRecord[]): readonly string[] {
  return records.map((record) => {
    if (record.kind === 'contract') return `${record.line}: ${String(record.id)}`;
    const { code, errors } = record.problem;
    return `${record.line}: ${code} ${errors?.[0]?.path} ${errors?.[0]?.code}`;
  });
}
