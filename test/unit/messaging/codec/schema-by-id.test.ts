import { expect, test } from 'vitest';
import { createSchemasById } from '../../../../shared/messaging/codec/schema-by-id.ts';
import type { FoundSchema } from '../../../../shared/messaging/codec/schema-registry.ts';

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
  const nothing = { messages: [], localReaders: new Map() };
  const schemas = createSchemasById({ ...nothing, clock: { now: () => 0 }, registry });
  const found = Array.from({ length: 32 }, (_, index) => schemas.find(1 + (index % 16)));
  const failure = { code: 'schema-registry-unavailable', canRetry: true };
  await expect(schemas.find(17)).rejects.toMatchObject(failure);
  answer.resolve({ kind: 'unknown' });
  await Promise.all(found);
  expect(asked).toHaveLength(16);
  await schemas.find(17);
});
