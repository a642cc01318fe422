import { describe, expect, it } from 'vitest';
import { messageDefinition, type MessageDefinition } from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import { createAvroMessage } from '../../../shared/messaging/codec/avro-message.ts';
import { checkReleases, faultsAgainst } from '../../../shared/messaging/codec/schema-compatibility.ts';
import { createLocalReaders, createSchemasById } from '../../../shared/messaging/codec/schema-by-id.ts';

const definition = messageDefinition('ProblemReply')!;
const text = readSchema(definition);
const released = readReleasedSchemas();
const nextId = Math.max(...released.map((one) => one.localSchemaId)) + 1;
const withOptional = text.replace(
  '"fields": [',
  '"fields": [ { "name": "hint", "doc": "Advice.", "type": ["null", "string"], "default": null },',
);
const withMandatory = text.replace('"fields": [', '"fields": [ { "name": "hint", "type": "string" },');

const check = (one: { definition: MessageDefinition; text: string }) =>
  checkReleases([one], released).map(({ reason }) => reason);

it('names an earlier version that is not a readable schema', () => {
  for (const unreadable of ['syntax = "proto3";', '{"type":"nonsense"}']) {
    expect(faultsAgainst('plat.v1.A', { version: 3, text: unreadable }, text)).toEqual([
      {
        subject: 'plat.v1.A',
        reason: expect.stringMatching(/^version 3 is not a valid Avro schema: /) as string,
      },
    ]);
  }
});

describe('checkReleases', () => {
  it('accepts an unchanged schema and changed doc texts', () => {
    expect(check({ definition, text })).toEqual([]);
    expect(check({ definition, text: text.replace('"Stable error code."', '"Another text."') })).toEqual([]);
  });

  it('requires the next free id for a changed schema', () => {
    expect(check({ definition, text: withOptional })).toEqual([
      expect.stringContaining(`localSchemaId ${nextId}`),
    ]);
  });

  it('requires the released copy of a schema with a new id', () => {
    const renumbered = { ...definition, localSchemaId: nextId };
    expect(check({ definition: renumbered, text: withOptional })).toEqual([
      expect.stringContaining('npm run schemas -- release'),
    ]);
  });

  it('refuses an incompatible change with the old id and with a new id, and names the field', () => {
    for (const localSchemaId of [definition.localSchemaId, nextId]) {
      const reasons = check({ definition: { ...definition, localSchemaId }, text: withMandatory });
      expect(reasons[0]).toContain(`hint is new and mandatory; make it optional, with a default`);
      expect(reasons[0]).toContain(`against id ${definition.localSchemaId}`);
    }
  });
});

describe('the schema store without a registry', () => {
  const clock = { now: () => 0 };

  it('throws at startup if a schema was changed without a new id', () => {
    const messages = [createAvroMessage(definition, withOptional)];
    expect(() => createLocalReaders(messages, released)).toThrow(
      /the schema of ProblemReply is not the one that was released with id 1073741826/,
    );
  });

  it('decodes messages with the ids of earlier releases', () => {
    const message = createAvroMessage({ ...definition, localSchemaId: nextId }, withOptional);
    const messages = [message];
    const localReaders = createLocalReaders(messages, released);
    const store = createSchemasById({ messages, localReaders, clock });
    expect(store.writerId(message)).toBe(nextId);
    for (const id of [definition.localSchemaId, nextId]) expect(store.known(id)).toMatchObject({ message });
    expect(store.known(nextId + 1)).toHaveProperty('unreadable');
  });
});
