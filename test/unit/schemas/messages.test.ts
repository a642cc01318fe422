import { describe, expect, it } from 'vitest';
import {
  FIRST_LOCAL_SCHEMA_ID,
  MESSAGES,
  messageDefinition,
  PROBLEM_TYPE,
  recordName,
} from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import type { RepaymentSchedule, ScheduleRow } from '../../../shared/lending/request/repayment-schedule.ts';
import { createAvroMessage } from '../../../shared/messaging/codec/avro-message.ts';
import { checkReleases } from '../../../shared/messaging/codec/schema-compatibility.ts';

interface Field {
  readonly name: string;
  readonly type: unknown;
}

interface RecordSchema {
  readonly fields: readonly Field[];
}

const schemas = MESSAGES.map((definition) => ({ definition, text: readSchema(definition) }));
const recordOf = (type: string) => JSON.parse(readSchema(messageDefinition(type)!)) as RecordSchema;
const isOptional = (field: Field) => Array.isArray(field.type) && field.type[0] === 'null';

const optionalFields = (record: RecordSchema): Record<string, boolean> =>
  Object.fromEntries(record.fields.map((field) => [field.name, isOptional(field)]));

function itemsOf(record: RecordSchema, name: string): RecordSchema {
  const { type } = record.fields.find((field) => field.name === name)!;
  const list = (Array.isArray(type) ? type[1] : type) as { items: RecordSchema };
  return list.items;
}

/** All fields of a type, true if optional; the compiler checks that the list is complete. */
type OptionalFields<Type> = { [Name in keyof Type]-?: undefined extends Type[Name] ? true : false };

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

describe('the Avro schemas', () => {
  it('have the fields of the schedule and its rows; columns and explanations are lists next to the rows', () => {
    const record = recordOf('CalculateRepaymentScheduleReply');
    expect(optionalFields(record)).toEqual({
      casing: false,
      show: false,
      currencyDigits: false,
      scheduleTypeId: false,
      startDate: false,
      rows: false,
      dae: true,
      eir: true,
      warnings: false,
      extraColumns: true,
      columns: true,
      explanations: true,
      calendar: true,
    } satisfies OptionalFields<RepaymentSchedule> & Record<'columns' | 'explanations', true>);
    expect(optionalFields(itemsOf(record, 'rows'))).toEqual({
      InstallmentNo: false,
      dueDate: false,
      noDays: false,
      installmentTypeId: false,
      remainingValue: false,
      pmt: false,
      interest: false,
      principal: false,
      managementFee: false,
      totalInstallment: false,
      insurance: true,
      capitalisedInterest: true,
      isEarlyRepayment: false,
    } satisfies Record<Exclude<keyof ScheduleRow, 'columns' | 'explanation'>, boolean>);
  });

  it('have context and version in the namespace of the record name', () => {
    expect(MESSAGES.map(recordName)).toContain('plat.schedule.v1.CalculateRepaymentScheduleRequest');
    expect(recordName(messageDefinition(PROBLEM_TYPE)!)).toBe('plat.common.v1.ProblemReply');
  });
});
