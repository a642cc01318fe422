import type { Codec, Decoded, Encoded } from '../../../shared/messaging/codec.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

const AVRO_MAGIC = 0;

/**
 * A codec whose Avro is JSON behind the magic byte: `{type, payload}` in both formats. A test can replace `decode` and
 * `encode`.
 */
export function createFakeCodec(overrides: Partial<Codec> = {}): Codec {
  return {
    decode: ({ value }): Decoded => {
      const isAvro = value?.[0] === AVRO_MAGIC;
      const format = isAvro ? 'avro' : 'json';
      try {
        const text = String(isAvro ? value.subarray(1) : value);
        const { type, payload } = JSON.parse(text) as { type: string; payload: unknown };
        return { kind: 'decoded', type, format, payload };
      } catch {
        return { kind: 'undecodable', format, problem: createProblem('undecodable-message') };
      }
    },
    encode: (type, payload, format): Encoded => {
      const body = Buffer.from(JSON.stringify({ type, payload }));
      return {
        value: format === 'avro' ? Buffer.concat([Buffer.of(AVRO_MAGIC), body]) : body,
        headers: { 'content-type': format === 'avro' ? 'application/vnd.apache.avro' : 'application/json' },
      };
    },
    isBatch: () => false,
    prepare: () => Promise.resolve(),
    ...overrides,
  };
}

/** The type and payload of a value that a fake codec wrote. */
export function readFakeValue(value: Buffer | null | undefined): { type: string; payload: unknown } {
  const isAvro = value?.[0] === AVRO_MAGIC;
  return JSON.parse(String(isAvro ? value.subarray(1) : value)) as { type: string; payload: unknown };
}
