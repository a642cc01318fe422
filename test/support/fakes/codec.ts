import type { Codec, Decoded, Encoded } from '../../../shared/messaging/codec.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

const AVRO_MAGIC = 0;

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

export function readFakeValue(value: Buffer | null | undefined): { type: string; payload: unknown } {
  const isAvro = value?.[0] === AVRO_MAGIC;
  return JSON.parse(String(isAvro ? value.subarray(1) : value)) as { type: string; payload: unknown };
}
