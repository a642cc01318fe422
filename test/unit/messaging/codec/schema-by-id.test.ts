import { expect, test, vi } from 'vitest';
import { createSchemasById } from '../../../../shared/messaging/codec/schema-by-id.ts';
import type { FoundSchema, SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';

const nothing = { messages: [], localReaders: new Map() };

test('at most 16 unknown ids are looked up at a time, each once', async () => {
  const answer = Promise.withResolvers<FoundSchema>();
  const asked: number[] = [];
  const registry = {
    schemaOf: (id: number) => {
      asked.push(id);
      return answer.promise;
    },
    registeredId: () => Promise.resolve(undefined),
    register: () => Promise.resolve(1),
  };
  const schemas = createSchemasById({ ...nothing, clock: { now: () => 0 }, registry });
  const found = Array.from({ length: 32 }, (_, index) => schemas.find(1 + (index % 16)));
  const failure = { code: 'schema-registry-unavailable', canRetry: true };
  await expect(schemas.find(17)).rejects.toMatchObject(failure);
  answer.resolve({ kind: 'unknown' });
  await Promise.all(found);
  expect(asked).toHaveLength(16);
  await schemas.find(17);
});

test('an unknown id is looked up again after 30 s, and one whose look-up failed after 3 s', async () => {
  let nowMs = 0;
  const schemaOf = vi.fn<SchemaRegistry['schemaOf']>(async () => ({ kind: 'unknown' }));
  const registry = {
    schemaOf: schemaOf.mockRejectedValueOnce(new Error('away')),
  } as unknown as SchemaRegistry;
  const schemas = createSchemasById({ ...nothing, clock: { now: () => nowMs }, registry });
  for (nowMs of [0, 2_999]) await expect(schemas.find(1)).rejects.toThrow('away');
  for (nowMs of [3_000, 32_999])
    expect(schemas.known(1) ?? (await schemas.find(1))).toEqual({ unreadable: 'schema id 1 is not known' });
  for (nowMs of [33_000, -1]) expect([schemas.known(1), schemaOf.mock.calls.length]).toEqual([undefined, 2]);
});
