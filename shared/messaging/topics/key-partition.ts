/** Seed and mixing constants of murmur2 in Kafka's Java client (org.apache.kafka.common.utils.Utils). */
const SEED = 0x9747b28c;
const MIX = 0x5bd1e995;
const SHIFT = 24;
const POSITIVE = 0x7fffffff;

/** The hash as a signed integer of 32 bits. */
export function murmur2(key: Uint8Array): number {
  const length = key.length;
  const aligned = length & ~3;
  let hash = SEED ^ length;
  for (let index = 0; index < aligned; index += 4) {
    let word = byteAt(key, index) | (byteAt(key, index + 1) << 8);
    word |= (byteAt(key, index + 2) << 16) | (byteAt(key, index + 3) << 24);
    word = Math.imul(word, MIX);
    word ^= word >>> SHIFT;
    hash = Math.imul(hash, MIX) ^ Math.imul(word, MIX);
  }
  const rest = length - aligned;
  if (rest === 3) hash ^= byteAt(key, aligned + 2) << 16;
  if (rest >= 2) hash ^= byteAt(key, aligned + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ byteAt(key, aligned), MIX);
  hash = Math.imul(hash ^ (hash >>> 13), MIX);
  return (hash ^ (hash >>> 15)) | 0;
}

/** Chooses as the Java client and kafkajs do: records of a key are in order even if different clients produce them. */
export function partitionOfKey(key: Uint8Array, count: number): number {
  return (murmur2(key) & POSITIVE) % count;
}

function byteAt(key: Uint8Array, index: number): number {
  return key[index] ?? 0;
}
