import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it, test } from 'vitest';
import { parseJsonBody, readJsonBody } from '../../../../workers/ingress/server/json-body.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const codeOf = (bytes: Buffer): string | undefined => {
  const parsed = parseJsonBody(bytes);
  return parsed.kind === 'refused' ? (parsed.problem.errors?.[0]?.code ?? parsed.problem.code) : undefined;
};

describe('parseJsonBody', () => {
  it('parses UTF-8 with and without a byte order mark', () => {
    expect(parseJsonBody(Buffer.from('{"a":"€😀"}'))).toMatchObject({ kind: 'parsed', body: { a: '€😀' } });
    expect(parseJsonBody(Buffer.from('\ufeff[]'))).toMatchObject({ kind: 'parsed', body: [] });
    expect(parseJsonBody(Buffer.from(' null '))).toMatchObject({ kind: 'parsed', body: null });
    expect(parseJsonBody(Buffer.from('"Data"'))).toMatchObject({ kind: 'parsed', body: 'Data' });
  });

  it.each([
    ['an empty body', Buffer.alloc(0), 'empty-body'],
    ['only spaces', Buffer.from('   '), 'malformed-json'],
    ['an incomplete UTF-8 sequence', Buffer.from([0x22, 0xc3, 0x22]), 'not-utf8'],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not-utf8'],
    ['UTF-16', Buffer.from('[]', 'utf16le'), 'malformed-json'],
    ['a trailing comma', Buffer.from('{"a":1,}'), 'malformed-json'],
    ['33 nested arrays', Buffer.from('['.repeat(33) + ']'.repeat(33)), 'too-deep'],
    ['a repeated member', Buffer.from('{"a":1,"a":1}'), 'repeated-member'],
  ])('refuses %s', (_name, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });

  it('reports the position of a syntax error without quoting the body', () => {
    const parsed = parseJsonBody(Buffer.from('{"access_token":"secret",oops}'));
    expect(parsed).toMatchObject({
      kind: 'refused',
      problem: { status: 400, errors: [{ path: 'body', code: 'malformed-json' }] },
    });
    expect(JSON.stringify(parsed)).not.toMatch(/secret|oops/);
    expect(JSON.stringify(parsed)).toContain('at character 25');
  });
});

test('keeps no bytes of a body while its request is being answered', async () => {
  const raw = new PassThrough();
  const request = { raw, body: undefined } as unknown as FastifyRequest;
  const reading = readJsonBody(request, { sent: false } as FastifyReply, { limitBytes: 100 });
  const chunks = ['["', 'x'.repeat(90), '"]'].map((text) => {
    const chunk = Buffer.from(text);
    raw.write(chunk);
    return new WeakRef(chunk);
  });
  raw.end();
  await reading;
  expect(request.body).toEqual(['x'.repeat(90)]);
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(chunks.filter((chunk) => chunk.deref() !== undefined)).toEqual([]);
  expect(raw.readableEnded).toBe(true);
});
