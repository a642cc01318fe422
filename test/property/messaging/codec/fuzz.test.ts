import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce, codecOf } from '../../../support/builders/codec-calls.ts';
import {
  fullRequest,
  PROBLEM,
  problem,
  REPLY,
  REQUEST,
  schedule,
} from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const RUNS = { numRuns: 3_000 };
const PAYLOADS = { [REQUEST]: fullRequest, [REPLY]: schedule, [PROBLEM]: problem };
const MESSAGES = Object.entries(PAYLOADS).map(
  ([type, payload]) => atOnce(codec.encode(type, payload, 'avro')).value,
);
const anyMessage = fc.constantFrom(...MESSAGES);
const typed = Object.keys(PAYLOADS).map((type) => ({ 'plat-message-type': type }));
const headers = fc.constantFrom<Record<string, string>>({}, ...typed);

function decodeKind(value: Buffer, of: Record<string, string> = {}): string {
  return atOnce(codec.decode({ value, headers: of })).kind;
}

it('decode never throws on arbitrary bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), headers, (bytes, of) => {
      expect(['decoded', 'undecodable']).toContain(decodeKind(Buffer.from(bytes), of));
    }),
    RUNS,
  );
});

it('decode never throws on arbitrary bytes after a known schema id', () => {
  fc.assert(
    fc.property(anyMessage, fc.uint8Array({ maxLength: 300 }), (message, bytes) => {
      const value = Buffer.concat([message.subarray(0, 5), Buffer.from(bytes)]);
      expect(['decoded', 'undecodable']).toContain(decodeKind(value));
    }),
    RUNS,
  );
});

it('decode never throws on a valid message with a few changed bytes', () => {
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anyMessage, edits, (message, changes) => {
      const value = Buffer.from(message);
      for (const [at, byte] of changes) value[5 + (at % (value.length - 5))] = byte;
      expect(['decoded', 'undecodable']).toContain(decodeKind(value));
    }),
    RUNS,
  );
});

it('decode rejects messages with missing or trailing bytes', () => {
  for (const message of MESSAGES) {
    for (let length = 0; length < message.length; length++) {
      expect(decodeKind(message.subarray(0, length))).toBe('undecodable');
    }
    expect(decodeKind(Buffer.concat([message, Buffer.from([0])]))).toBe('undecodable');
  }
});

it('decode never throws on truncated JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), headers, fc.nat(40), (inner, of, cut) => {
      const text = `[${inner}]`;
      const kind = decodeKind(Buffer.from(text.slice(0, text.length - cut)), of);
      expect(['decoded', 'undecodable']).toContain(kind);
    }),
    RUNS,
  );
});
