import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messageDefinition, recordName } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import type { FoundSchema, SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import {
  createSchemaRegistry,
  registeredVersions,
} from '../../../../shared/messaging/codec/schema-registry.ts';
import { FAILURE_CACHE_MS } from '../../../../shared/messaging/codec/schema-by-id.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { closeServer, listen } from '../../../../shared/platform/http-server.ts';
import { codecOf, payloadOf } from '../../../support/builders/codec-calls.ts';
import { PROBLEM, problem, REQUEST, smallRequest } from '../../../support/builders/codec-fixture.ts';

const MINUTE = 60_000;
const INVALID_DECIMAL = '{"type":"bytes","logicalType":"decimal","precision":1,"scale":2}';
const textOf = (type: string) => readSchema(messageDefinition(type)!);
const subjectOf = (type: string) => recordName(messageDefinition(type)!);

function fakeRegistry(schemas: Record<number, string> = {}) {
  const byId = new Map(Object.entries(schemas).map(([id, text]) => [Number(id), text]));
  const state = { lookedUp: [] as number[], registered: [] as string[], isUnavailable: false };
  const answer = async (): Promise<void> => {
    await Promise.resolve();
    if (state.isUnavailable) throw new InfrastructureError('schema-registry-unavailable', 'unavailable');
  };
  const registry: SchemaRegistry = {
    schemaOf: async (id): Promise<FoundSchema> => {
      state.lookedUp.push(id);
      await answer();
      const text = byId.get(id);
      return text === undefined ? { kind: 'unknown' } : { kind: 'found', schema: parseWriterSchema(text) };
    },
    registeredId: async (_, text) => {
      await answer();
      return [...byId].find(([, known]) => known === text)?.[0];
    },
    register: async (subject, text) => {
      await answer();
      state.registered.push(subject);
      byId.set(100 + state.registered.length, text);
      return 100 + state.registered.length;
    },
  };
  return { registry, state };
}

async function writtenWithId(id: number) {
  const { registry } = fakeRegistry({ [id]: textOf(REQUEST) });
  return codecOf({ registry }).encode(REQUEST, smallRequest, 'avro');
}

describe('a codec with a schema registry', () => {
  it('encodes with the id of the registry, synchronously once prepared', async () => {
    const { registry, state } = fakeRegistry({ 7: textOf(REQUEST) });
    const codec = codecOf({ registry });
    await codec.prepare([REQUEST, PROBLEM]);
    expect(state.registered).toEqual([subjectOf(PROBLEM)]);
    const encoded = codec.encode(REQUEST, smallRequest, 'avro');
    expect(encoded).not.toBeInstanceOf(Promise);
    expect((await encoded).value.readUInt32BE(1)).toBe(7);
    expect((await codec.encode(PROBLEM, problem, 'avro')).value.readUInt32BE(1)).toBe(101);
  });

  it('looks up an id once for concurrent and later messages', async () => {
    const { registry, state } = fakeRegistry({ 7: textOf(REQUEST) });
    const codec = codecOf({ registry });
    const message = await writtenWithId(7);
    const decoded = await Promise.all([codec.decode(message), codec.decode(message), codec.decode(message)]);
    for (const one of decoded) expect(payloadOf(one)).toEqual(smallRequest);
    expect(payloadOf(codec.decode(message))).toEqual(smallRequest);
    expect(state.lookedUp).toEqual([7]);
  });

  it('rejects while the registry is unavailable, and decodes the same message afterwards', async () => {
    const { registry, state } = fakeRegistry({ 7: textOf(REQUEST) });
    let now = MINUTE;
    const codec = codecOf({ registry, clock: { now: () => now } });
    const message = await writtenWithId(7);
    state.isUnavailable = true;
    await expect(codec.decode(message)).rejects.toBeInstanceOf(InfrastructureError);
    await expect(codec.encode(REQUEST, smallRequest, 'avro')).rejects.toBeInstanceOf(InfrastructureError);
    state.isUnavailable = false;
    now += FAILURE_CACHE_MS;
    expect(payloadOf(await codec.decode(message))).toEqual(smallRequest);
  });
});

describe('the client of a schema registry', () => {
  it('finds schemas by id, with their decimal types', async () => {
    const { url } = await serve((_, response) => response.end(JSON.stringify({ schema: textOf(REQUEST) })));
    const found = await createSchemaRegistry({ url }).schemaOf(1);
    expect(found).toMatchObject({ kind: 'found', schema: { name: subjectOf(REQUEST) } });
    const { schema } = found as Extract<FoundSchema, { kind: 'found' }>;
    expect(JSON.stringify(schema)).toContain('"logicalType":"decimal","precision":38,"scale":18');
  });

  it('sends the configured user and password', async () => {
    const { url, seen } = await serve((_, response) => response.end(JSON.stringify({ schema: '"string"' })));
    await createSchemaRegistry({ url, username: 'bank', password: 'secret' }).schemaOf(1);
    expect(seen).toEqual([`GET /schemas/ids/1 Basic ${Buffer.from('bank:secret').toString('base64')}`]);
  });

  it.each([
    ['in a format other than Avro', { schemaType: 'PROTOBUF', schema: 'syntax = "proto3"; message A {}' }],
    ['with an invalid decimal', { schema: INVALID_DECIMAL }],
    ['of an unknown type', { schema: '{"type":"nothing"}' }],
  ])('reports a schema %s as unusable', async (_, answer) => {
    const { url } = await serve((__, response) => response.end(JSON.stringify(answer)));
    expect(await createSchemaRegistry({ url }).schemaOf(1)).toMatchObject({ kind: 'unusable' });
  });

  it('rejects with InfrastructureError on server errors, 429, refused credentials and the 404 of another server', async () => {
    for (const status of [401, 403, 404, 429, 500, 503]) {
      const { url } = await serve((_, response) => response.writeHead(status).end('{}'));
      await expect(createSchemaRegistry({ url }).schemaOf(1)).rejects.toBeInstanceOf(InfrastructureError);
      await expect(registeredVersions({ url }, 'a')).rejects.toBeInstanceOf(InfrastructureError);
    }
  });

  it('finds nothing if the registry says that it does not know the schema or subject', async () => {
    const answer = '{"error_code":40401,"message":"not found"}';
    const { url } = await serve((_, response) => response.writeHead(404).end(answer));
    expect(await createSchemaRegistry({ url }).schemaOf(1)).toEqual({ kind: 'unknown' });
    expect(await registeredVersions({ url }, 'a')).toEqual([]);
  });

  it('times out when the registry does not answer', async () => {
    const { url } = await serve(() => undefined);
    const startedAt = performance.now();
    await expect(createSchemaRegistry({ url }).schemaOf(1)).rejects.toMatchObject({
      code: 'schema-registry-unavailable',
      message: 'the schema registry cannot be used: no answer within 2000 ms',
    });
    expect(performance.now() - startedAt).toBeLessThan(4_500);
  });

  it('rejects an incompatible schema as not retryable', async () => {
    const { url } = await serve(({ url: asked }, response) => {
      response.writeHead(asked?.startsWith('/config') === true ? 404 : 409).end('{"message":"no"}');
    });
    const registering = createSchemaRegistry({ url }).register(subjectOf(PROBLEM), textOf(PROBLEM));
    await expect(registering).rejects.toMatchObject({ code: 'schema-incompatible', canRetry: false });
  });
});

async function serve(answer: RequestListener) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push([request.method, request.url, request.headers.authorization].filter(Boolean).join(' '));
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  onTestFinished(() => closeServer(server));
  return { url: await listen(server, '127.0.0.1', 0), seen };
}
