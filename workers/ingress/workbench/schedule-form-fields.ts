/** Derives the fields of the form for schedules from the schema that validates and documents the schedule request. */
import { flagKind, isDateSchema } from '../../../shared/api/json/field-kinds.ts';
import { toJsonSchema, type JsonSchema } from '../../../shared/api/json/json-schema.ts';
import { repaymentScheduleFields } from '../../../shared/api/actions/schedule-request-fields.ts';
import type { FieldKind, FormField } from './app/schedules/loan-fields.ts';

/** A date with the comma and blank after it, in a list that the form shows as text. */
const DATE_LENGTH = 12;

export function scheduleFormFields(): readonly FormField[] {
  return describeFields(toJsonSchema(repaymentScheduleFields));
}

/** Describes the fields of an object for the form. Throws Error if the form has no control for the type of a field. */
export function describeFields({ properties = {}, required = [] }: JsonSchema): readonly FormField[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { minimum, exclusiveMinimum, maximum, maxLength, maxItems, items } = schema;
    const kind = kindOf(name, schema);
    return {
      name,
      kind,
      help: helpOf(schema),
      isRequired: required.includes(name),
      minimum,
      exclusiveMinimum,
      maximum,
      maxLength: kind === 'dates' && maxItems !== undefined ? maxItems * DATE_LENGTH : maxLength,
      maxItems,
      items: items?.properties && describeFields(items),
      ...choicesOf(schema),
    };
  });
}

/** The description without what only programmers need: the word `Extension.` and the ids of rules, such as (E3). */
function helpOf({ description = '' }: JsonSchema): string {
  return description.replace(/^Extension\. /, '').replaceAll(/ \([A-Z]\d(?:, [A-Z]\d)*\)/g, '');
}

function kindOf(name: string, schema: JsonSchema): FieldKind {
  const flag = flagKind(schema);
  if (flag !== undefined) return flag;
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (type === 'string') return isDateSchema(schema) ? 'date' : 'text';
  if (type === 'number') return 'number';
  if (type === 'integer') return 'whole';
  if (type === 'array' && schema.items?.properties !== undefined) return 'list';
  if (type === 'array' && schema.items !== undefined && isDateSchema(schema.items)) return 'dates';
  throw new Error(
    `the form for schedules has no control for the field ${name} of type ${type ?? 'unknown'}; add one to loan-form.tsx`,
  );
}

/** The values of an enumeration, or else the examples of a field that also allows other values. None for dates. */
function choicesOf(schema: JsonSchema): Pick<FormField, 'choices' | 'isOpen'> {
  if (isDateSchema(schema)) return {};
  const closed = (schema.enum ?? []).filter((value) => typeof value === 'string');
  if (closed.length > 0) return { choices: closed };
  const examples = (schema.examples ?? []).filter((value) => typeof value === 'string');
  return examples.length === 0 ? {} : { choices: examples, isOpen: true };
}
