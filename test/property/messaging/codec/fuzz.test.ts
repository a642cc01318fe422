import { array, assert, constantFrom, json, nat, property, tuple, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  codecOf,
  fullRequest,
  PROBLEM,
  problem,
  REPLY,
  REQUEST,
  schedule,
} from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const RUNS = { numRuns: 3_000 };
const MESSAGES = [
  atOnce(codec.encode(REQUEST, fullRequest, 'avro')).value,
  atOnce(codec.encode(REPLY, schedule, 'avro')).value,
  atOnce(codec.encode(PROBLEM, problem, 'avro')).value,
];
const anyMessage = constantFrom(...MESSAGES);
const headers = constantFrom<Record<string, string>>(
  {},
  { 'plat-message-type': REQUEST },
  { 'plat-message-type': REPLY },
  { 'plat-message-type': PROBLEM },
);

/** Decodes at once, to one of the two answers, and never throws. */
function kindOf(value: Buffer, of: Record<string, string> = {}): string {
  return atOnce(codec.decode({ value, headers: of })).kind;
}

describe('hostile bytes', () => {
  it('of any kind are answered with a value', () => {
    assert(
      property(uint8Array({ maxLength: 300 }), headers, (bytes, of) => {
        expect(['decoded', 'undecodable']).toContain(kindOf(Buffer.from(bytes), of));
      }),
      RUNS,
    );
  });

  it('behind a known schema id are answered with a value', () => {
    assert(
      property(anyMessage, uint8Array({ maxLength: 300 }), (message, bytes) => {
        const value = Buffer.concat([message.subarray(0, 5), Buffer.from(bytes)]);
        expect(['decoded', 'undecodable']).toContain(kindOf(value));
      }),
      RUNS,
    );
  });

  it('that change a good message in a few places are answered with a value', () => {
    const edits = array(tuple(nat(), nat(255)), { minLength: 1, maxLength: 4 });
    assert(
      property(anyMessage, edits, (message, changes) => {
        const value = Buffer.from(message);
        for (const [at, byte] of changes) value[5 + (at % (value.length - 5))] = byte;
        expect(['decoded', 'undecodable']).toContain(kindOf(value));
      }),
      RUNS,
    );
  });

  it('that end too early or too late are never taken for a message', () => {
    for (const message of MESSAGES) {
      for (let length = 0; length < message.length; length++) {
        expect(kindOf(message.subarray(0, length))).toBe('undecodable');
      }
      expect(kindOf(Buffer.concat([message, Buffer.from([0])]))).toBe('undecodable');
    }
  });

  it('in JSON are answered with a value', () => {
    assert(
      property(json({ maxDepth: 8 }), headers, nat(40), (inner, of, cut) => {
        const text = `[${inner}]`;
        expect(['decoded', 'undecodable']).toContain(
          kindOf(Buffer.from(text.slice(0, text.length - cut)), of),
        );
      }),
      RUNS,
    );
  });
});
