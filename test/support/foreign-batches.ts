/** Record batches as other Kafka clients write them, with compressions for which kafkajs has no codec. */

import kafkajs, { type Kafka, type Message } from 'kafkajs';

const { CompressionCodecs, CompressionTypes } = kafkajs;

export type ForeignCompression = 'lz4' | 'snappy';

interface Codec {
  readonly decompress: (buffer: Buffer) => Promise<Buffer>;
}

interface Encoded {
  readonly buffer: Buffer;
}

/** Frame header: magic number, version 1 with independent blocks of at most 64 KiB, and the checksum of these flags. */
const LZ4_HEAD = Buffer.from('04224d18604082', 'hex');
const LZ4_END = Buffer.alloc(4);
/** A block whose length has this bit is not compressed. */
const LZ4_STORED = 0x80_00_00_00;
const LZ4_BLOCK_BYTES = 64 * 1_024;

function lz4Frame({ buffer }: Encoded): Buffer {
  const blocks: Buffer[] = [LZ4_HEAD];
  for (let at = 0; at < buffer.length; at += LZ4_BLOCK_BYTES) {
    const block = buffer.subarray(at, at + LZ4_BLOCK_BYTES);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(LZ4_STORED + block.length);
    blocks.push(length, block);
  }
  return Buffer.concat([...blocks, LZ4_END]);
}

const SNAPPY_LITERAL_BYTES = 65_536;
const SNAPPY_TWO_BYTE_LITERAL = 0xf4;

/** A snappy block with literals only, without the framing of the Java client, as librdkafka writes it. */
function snappyBlock({ buffer }: Encoded): Buffer {
  const parts: Buffer[] = [varint(buffer.length)];
  for (let at = 0; at < buffer.length; at += SNAPPY_LITERAL_BYTES) {
    const literal = buffer.subarray(at, at + SNAPPY_LITERAL_BYTES);
    const head = Buffer.from([SNAPPY_TWO_BYTE_LITERAL, 0, 0]);
    head.writeUInt16LE(literal.length - 1, 1);
    parts.push(head, literal);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const CODECS = {
  lz4: { type: CompressionTypes.LZ4, compress: lz4Frame },
  snappy: { type: CompressionTypes.Snappy, compress: snappyBlock },
} as const;

/** Writes messages as one compressed batch for each partition. */
export async function produceCompressed(
  kafka: Kafka,
  topic: string,
  compression: ForeignCompression,
  messages: Message[],
): Promise<void> {
  const { type, compress } = CODECS[compression];
  const own = CompressionCodecs[type];
  const producer = kafka.producer();
  await producer.connect();
  // The codecs are global to the process, and the system under test needs its own.
  CompressionCodecs[type] = () => ({
    compress: (encoded: Encoded) => Promise.resolve(compress(encoded)),
    decompress: (buffer: Buffer) => (own as () => Codec)().decompress(buffer),
  });
  try {
    await producer.send({ topic, messages, compression: type });
  } finally {
    CompressionCodecs[type] = own;
    await producer.disconnect();
  }
}
