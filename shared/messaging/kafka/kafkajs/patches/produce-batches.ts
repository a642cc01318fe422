import type { Message } from 'kafkajs';
import { encodeBatch } from '../../common/publishing/record-batch.ts';
import { kafkajsModule, replaceExport } from './internals.ts';

type MakeRecord = (fields: Message) => unknown;

interface Batch {
  readonly compression: number;
  readonly transactional: boolean;
  /** -1 or undefined, or a Long of an idempotent producer. */
  readonly producerId?: unknown;
  readonly records: readonly Message[];
}

interface BatchModule {
  readonly RecordBatch: (batch: object) => Promise<object>;
}

type EncoderClass = new (bytes: number) => { buf: Buffer; offset: number };

const USERS = /kafkajs\/src\/protocol\/requests\/produce\/v\d+\/request\.js$/;

/**
 * Encodes the record batches of producers that are not idempotent in place of kafkajs, which writes each record in several buffers for each of
 * its headers, and takes five times as long.
 */
export function encodeProducedBatches(): void {
  const Encoder = kafkajsModule('protocol/encoder') as EncoderClass;
  const makeRecord = kafkajsModule('protocol/recordBatch/record/v0') as MakeRecord;
  replaceExport<MakeRecord>('protocol/recordBatch/record/v0', USERS, () => (fields) => fields);
  replaceExport<BatchModule>('protocol/recordBatch/v0', USERS, (original) => ({
    ...original,
    RecordBatch: async (given) => {
      const batch = given as Batch;
      if (!isPlain(batch)) return original.RecordBatch({ ...batch, records: batch.records.map(makeRecord) });
      const buf = encodeBatch(batch.records);
      return Object.assign(new Encoder(0), { buf, offset: buf.length });
    },
  }));
}

function isPlain({ compression, transactional, producerId, records }: Batch): boolean {
  const hasTimes = records.every(({ timestamp }) => timestamp !== undefined);
  return hasTimes && compression === 0 && !transactional && Number(producerId ?? -1) === -1;
}
