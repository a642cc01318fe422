import { describe, expect, it } from 'vitest';
import {
  FIRST_LOCAL_SCHEMA_ID,
  MESSAGES,
  messageDefinition,
  PROBLEM_TYPE,
  recordName,
} from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import { createAvroMessage } from '../../../shared/messaging/codec/avro-message.ts';
import { checkReleases } from '../../../shared/messaging/codec/schema-compatibility.ts';

const schemas = MESSAGES.map((definition) => ({ definition, text: readSchema(definition) }));

describe('the list of messages', () => {
  it('has only released schemas that are compatible in both directions', () => {
    expect(checkReleases(schemas, readReleasedSchemas())).toEqual([]);
  });

  it('has a valid schema of the right record for each message', () => {
    for (const { definition, text } of schemas)
      expect(() => createAvroMessage(definition, text).schema).not.toThrow();
  });

  it('has unique names and unique local schema ids', () => {
    expect(new Set(MESSAGES.map(({ type }) => type)).size).toBe(MESSAGES.length);
    const ids = MESSAGES.map(({ localSchemaId }) => localSchemaId);
    expect(new Set(ids).size).toBe(MESSAGES.length);
    for (const id of ids) {
      expect(id).toBeGreaterThanOrEqual(FIRST_LOCAL_SCHEMA_ID);
      expect(id).toBeLessThan(2 ** 31);
    }
  });

  it('has a reply for each request, and one error reply', () => {
    const replies = MESSAGES.flatMap((message) => (message.kind === 'request' ? [message.replyType] : []));
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.map((type) => messageDefinition(type)?.kind)).toEqual(replies.map(() => 'reply'));
    expect(MESSAGES.filter(({ kind }) => kind === 'error').map(({ type }) => type)).toEqual([PROBLEM_TYPE]);
    expect(messageDefinition('Nothing')).toBeUndefined();
  });

  it('has a doc text for each field of each schema', () => {
    for (const { definition, text } of schemas) {
      const undescribed = text.match(/"name": "[^"]+",\s+"(?!doc"|namespace")/g);
      expect({ type: definition.type, undescribed }).toEqual({ type: definition.type, undescribed: null });
    }
  });
});

it('the Avro schemas have context and version in the namespace of the record name', () => {
  expect(MESSAGES.map(recordName)).toContain('plat.schedule.v1.CalculateRepaymentScheduleRequest');
  expect(recordName(messageDefinition(PROBLEM_TYPE)!)).toBe('plat.common.v1.ProblemReply');
});
