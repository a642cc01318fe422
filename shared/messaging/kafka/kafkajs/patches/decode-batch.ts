import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import kafkajs, { type KafkaMessage } from 'kafkajs';
import { DECOMPRESSION, toHeaders, type DecodedBatch } from '../../common/consuming/record-batches.ts';
import { kafkajsModule } from './internals.ts';

type DecodeBatch = (decoder: object) => Promise<{
  readonly producerId: string;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly records: readonly KafkaMessage[];
}>;

const unzip = promisify(gunzip);
const unzipZstd = promisify(zstdDecompress);

/** Bounds what compressed records may expand to, for the whole process: kafkajs decompresses gzip without a limit, and nothing else. Idempotent. */
export function boundDecompression(): void {
  const codecs = kafkajs.CompressionCodecs as Record<number, () => object>;
  const { GZIP, ZSTD } = kafkajs.CompressionTypes;
  const gzip = codecs[GZIP]?.();
  codecs[GZIP] = () => ({ ...gzip, decompress: (bytes: Buffer) => unzip(bytes, DECOMPRESSION) });
  codecs[ZSTD] = () => ({ decompress: (bytes: Buffer) => unzipZstd(bytes, DECOMPRESSION) });
}

/** Decodes a batch. Rejects where its bytes are not records, or would expand beyond the limit. */
export async function decodeBatch(bytes: Buffer): Promise<DecodedBatch> {
  const LibraryDecoder = kafkajsModule('protocol/decoder') as new (bytes: Buffer) => object;
  const decode = kafkajsModule('protocol/recordBatch/v0/decoder') as DecodeBatch;
  const { producerId, inTransaction, isControlBatch, records } = await decode(new LibraryDecoder(bytes));
  return {
    producerId: BigInt(producerId),
    isTransactional: inTransaction,
    isControl: isControlBatch,
    records: records.map(({ offset, timestamp, key, value, headers = {} }) => ({
      offset: Number(offset),
      timestampMs: Number(timestamp),
      key,
      value,
      headers: toHeaders(headerPairs(headers)),
    })),
  };
}

/** kafkajs also puts what all objects inherit beside the values of a header with such a name. */
function headerPairs(headers: NonNullable<KafkaMessage['headers']>): (readonly [string, Buffer | null])[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values]
      .flat()
      .flatMap((value) => (value === null || Buffer.isBuffer(value) ? [[name, value] as const] : [])),
  );
}
