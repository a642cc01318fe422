import { describe, expect, it } from 'vitest';
import { compileWriter } from '../../../../shared/messaging/codec/avro-writer.ts';
import { parseOwnSchema, parseWriterSchema } from '../../../../shared/messaging/codec/avro-schema.ts';

const writerOf = (type: unknown) => compileWriter(parseOwnSchema(JSON.stringify(type)));

describe('a compiled writer', () => {
  it('writes texts that equal the previous ones, or begin like them', () => {
    const write = writerOf('string');
    const schema = parseOwnSchema('"string"');
    const long = 'x'.repeat(65);
    const short = ['', 'ab', 'ab', 'ab', 'abc', 'äb', 'äb', 'äb', 'ab', '', '', ''];
    for (const text of [...short, long, long, long, `${long}y`, 'ab']) {
      const target = Buffer.alloc(80);
      const end = write(text, target, 2);
      expect(target.subarray(2, end)).toEqual(schema.toBuffer(text));
    }
  });

  it('returns how many bytes are missing in a buffer that is too small', () => {
    const write = writerOf('string');
    for (const text of ['ab', 'abc', 'abc', 'abc']) {
      expect(write(text, Buffer.alloc(2), 0)).toBe(2 - (text.length + 1));
      expect(write(text, Buffer.alloc(4), 0)).toBe(text.length + 1);
    }
  });

  it('refuses values of another type, also where null is allowed', () => {
    const inner = {
      type: 'record',
      name: 'R',
      fields: [{ name: 'f', type: ['null', 'int'], default: null }],
    };
    const wrong: readonly (readonly [unknown, unknown])[] = [
      ['int', 0.5],
      ['int', 2 ** 31],
      ['long', 2 ** 53],
      ['long', -(2 ** 52) - 1],
      ['long', '1'],
      ['string', 1],
      ['boolean', 0],
      ['bytes', 'x'],
      ['double', '1'],
      [{ type: 'array', items: 'int' }, {}],
      [{ type: 'array', items: inner }, ['x']],
      [['null', inner], 'x'],
      [['null', inner], []],
      [['null', inner], Buffer.alloc(1)],
      [['null', 'string'], 1],
      [inner, undefined],
    ];
    for (const [type, value] of wrong) {
      expect(() => writerOf(type)(value, Buffer.alloc(100), 0)).toThrow(Error);
    }
  });

  it('is not compiled for types that our schemas do not use', () => {
    for (const type of [
      '"float"',
      '{"type":"map","values":"int"}',
      '["null","int","string"]',
      '["int","null"]',
    ]) {
      expect(() => compileWriter(parseWriterSchema(type))).toThrow(TypeError);
    }
  });
});
