import type { Codec, Decoded } from '../../../shared/messaging/codec.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

/** A minimal codec: JSON `{type, payload}`. */
export const jsonCodec: Codec = {
  decode: ({ value }): Decoded => {
    try {
      const { type, payload } = JSON.parse(String(value)) as { type: string; payload: unknown };
      return { kind: 'decoded', type, format: 'json', payload };
    } catch {
      return { kind: 'undecodable', format: 'json', problem: createProblem('undecodable-message') };
    }
  },
  encode: (type, payload) => ({ value: Buffer.from(JSON.stringify({ type, payload })), headers: {} }),
  isBatch: () => false,
  prepare: () => Promise.resolve(),
};
