import { describe, expect, it } from 'vitest';
import {
  FIRST_LOCAL_SCHEMA_ID,
  MESSAGES,
  messageDefinition,
  PROBLEM_TYPE,
  recordName,
} from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { repaymentScheduleFields } from '../../../shared/contract/schedule/request-fields.ts';
import type { RepaymentSchedule, ScheduleRow } from '../../../shared/lending/request/repayment-schedule.ts';
import { createAvroMessage } from '../../../shared/messaging/codec/avro-message.ts';
import { checkReleases } from '../../../shared/messaging/codec/schema-release.ts';
import type { Fault, Problem } from '../../../shared/platform/problem.ts';

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

/** Every member with whether it may be absent. */
const membersOf = (record: RecordSchema): Record<string, boolean> =>
  Object.fromEntries(record.fields.map((field) => [field.name, isOptional(field)]));

/** The record of a list member's items. */
function itemsOf(record: RecordSchema, name: string): RecordSchema {
  const { type } = record.fields.find((field) => field.name === name)!;
  const list = (Array.isArray(type) ? type[1] : type) as { items: RecordSchema };
  return list.items;
}

/** Every member of a definition with whether it may be absent. */
const optionalIn = (members: Record<string, { safeParse(value: unknown): { success: boolean } }>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, kind]) => [name, kind.safeParse(undefined).success]),
  );

/** Every member of a type, true where it may be absent: the compiler checks that none is left out or made up. */
type MembersOf<Type> = { [Name in keyof Type]-?: undefined extends Type[Name] ? true : false };

describe('the catalogue of messages', () => {
  it('ships only schemas that were released and that old and new code can read', () => {
    expect(checkReleases(schemas, readReleasedSchemas())).toEqual([]);
  });

  it('has valid schemas, each for the record that the catalogue names', () => {
    for (const { definition, text } of schemas)
      expect(() => createAvroMessage(definition, text)).not.toThrow();
  });

  it('gives every message a name and an id of its own, from the range that needs no registry', () => {
    expect(new Set(MESSAGES.map(({ type }) => type)).size).toBe(MESSAGES.length);
    const ids = MESSAGES.map(({ localSchemaId }) => localSchemaId);
    expect(new Set(ids).size).toBe(MESSAGES.length);
    for (const id of ids) {
      expect(id).toBeGreaterThanOrEqual(FIRST_LOCAL_SCHEMA_ID);
      expect(id).toBeLessThan(2 ** 31);
    }
  });

  it('says which reply answers each request, and has one error reply', () => {
    const replies = MESSAGES.flatMap((message) => (message.kind === 'request' ? [message.replyType] : []));
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.map((type) => messageDefinition(type)?.kind)).toEqual(replies.map(() => 'reply'));
    expect(MESSAGES.filter(({ kind }) => kind === 'error').map(({ type }) => type)).toEqual([PROBLEM_TYPE]);
    expect(messageDefinition('Nothing')).toBeUndefined();
  });

  it('describes every member of every schema', () => {
    for (const { definition, text } of schemas) {
      const undescribed = text.match(/"name": "[^"]+",\s+"(?!doc"|namespace")/g);
      expect({ type: definition.type, undescribed }).toEqual({ type: definition.type, undescribed: null });
    }
  });

  it('has a JSON form for every message', () => {
    expect(Object.keys(MESSAGE_FORMS).toSorted()).toEqual(MESSAGES.map(({ type }) => type).toSorted());
  });
});

describe('the schemas and the domain', () => {
  it('have the same members in a request, mandatory in both or in none, its items included', () => {
    const record = recordOf('CalculateRepaymentScheduleRequest');
    const { shape } = repaymentScheduleFields;
    expect(membersOf(record)).toEqual(optionalIn(shape));
    for (const name of [
      'Commission',
      'Insurance',
      'MultipleInterestRates',
      'BandedInterestRates',
      'EarlyRepayments',
    ] as const) {
      const item = shape[name].in.unwrap().unwrap().element.shape;
      expect(membersOf(itemsOf(record, name))).toEqual(optionalIn(item));
    }
  });

  it('have the same members in a schedule and its rows, but for extras of rows that lie beside them', () => {
    const record = recordOf('CalculateRepaymentScheduleReply');
    expect(membersOf(record)).toEqual({
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
    } satisfies MembersOf<RepaymentSchedule> & Record<'columns' | 'explanations', true>);
    expect(membersOf(itemsOf(record, 'rows'))).toEqual({
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

  it('have the same members in a problem and its faults', () => {
    const record = recordOf(PROBLEM_TYPE);
    const problem: Record<keyof Problem, boolean> = {
      type: false,
      title: false,
      status: false,
      detail: true,
      instance: true,
      code: false,
      errors: true,
      correlationId: true,
    };
    expect(membersOf(record)).toEqual(problem);
    const fault: Record<keyof Fault, boolean> = { path: false, code: false, message: false };
    expect(membersOf(itemsOf(record, 'errors'))).toEqual(fault);
  });

  it('use the record name as subject, with context and version in its namespace', () => {
    expect(MESSAGES.map(recordName)).toContain('plat.schedule.v1.CalculateRepaymentScheduleRequest');
    expect(recordName(messageDefinition(PROBLEM_TYPE)!)).toBe('plat.common.v1.ProblemReply');
  });
});
