import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { readJsonBody } from '../../../../workers/ingress/server/json-body.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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
