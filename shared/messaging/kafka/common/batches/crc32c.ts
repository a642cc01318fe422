import { endianness } from 'node:os';

/** CRC-32C (Castagnoli), reflected: RFC 3720, appendix B.4. */
const POLYNOMIAL = 0x82_f6_3b_78;
const BYTE_VALUES = 256;
const WORD_BYTES = 4;
/** Bytes that the loop processes in one step; each has its own table. */
const STEP_BYTES = 8;
const TABLES = makeTables();
/** Words are read in the byte order of the machine; the tables are for little-endian machines. */
const READS_WORDS = endianness() === 'LE';

/**
 * The CRC-32C of these bytes as an unsigned number: the checksum of Kafka's record batches. Node offers only the CRC-32 of zlib,
 * which uses another polynomial. Processes eight bytes per step: 2 MiB in about 2 ms.
 */
export function crc32c(bytes: Uint8Array): number {
  const unaligned = -bytes.byteOffset & (WORD_BYTES - 1);
  let at = READS_WORDS ? Math.min(unaligned, bytes.length) : bytes.length;
  let crc = byteByByte(-1, bytes.subarray(0, at));
  if (at === bytes.length) return ~crc >>> 0;
  const words = new Int32Array(
    bytes.buffer,
    bytes.byteOffset + at,
    Math.floor((bytes.length - at) / WORD_BYTES),
  );
  const pairs = words.length & ~1;
  for (let index = 0; index < pairs; index += 2) {
    const low = crc ^ (words[index] as number);
    const high = words[index + 1] as number;
    crc =
      (TABLES[1_792 + (low & 0xff)] as number) ^
      (TABLES[1_536 + ((low >>> 8) & 0xff)] as number) ^
      (TABLES[1_280 + ((low >>> 16) & 0xff)] as number) ^
      (TABLES[1_024 + (low >>> 24)] as number) ^
      (TABLES[768 + (high & 0xff)] as number) ^
      (TABLES[512 + ((high >>> 8) & 0xff)] as number) ^
      (TABLES[256 + ((high >>> 16) & 0xff)] as number) ^
      (TABLES[high >>> 24] as number);
  }
  at += pairs * WORD_BYTES;
  crc = byteByByte(crc, bytes.subarray(at));
  return ~crc >>> 0;
}

function byteByByte(start: number, bytes: Uint8Array): number {
  let crc = start;
  for (const byte of bytes) crc = (TABLES[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return crc;
}

/** Table `n` contains the contribution of a byte to the checksum when `n` more bytes follow it in the same step. */
function makeTables(): Int32Array {
  const tables = new Int32Array(STEP_BYTES * BYTE_VALUES);
  for (let byte = 0; byte < BYTE_VALUES; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (POLYNOMIAL & -(crc & 1));
    tables[byte] = crc;
  }
  for (let index = BYTE_VALUES; index < tables.length; index += 1) {
    const shorter = tables[index - BYTE_VALUES] as number;
    tables[index] = (shorter >>> 8) ^ (tables[shorter & 0xff] as number);
  }
  return tables;
}
