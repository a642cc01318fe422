import { type MessageDefinition, recordName } from '../../../schemas/messages.ts';
import type { ReleasedSchema } from '../../../schemas/schema-files.ts';
import { errorText } from '../../platform/errors.ts';
import { parseOwnSchema, parseWriterSchema, isSameSchema } from './avro-schema.ts';
import { incompatibilities } from './schema-compatibility.ts';

/** A message of the list with the text of its schema. */
export interface DefinedSchema {
  readonly definition: MessageDefinition;
  readonly text: string;
}

/** The reason why a schema may not be used or released in its current form. */
export interface SchemaFault {
  /** Full name of the record. */
  readonly subject: string;
  /** The cause with its field, and what to do. */
  readonly reason: string;
  /** True when only the released copy is missing, which `release` writes. */
  readonly unreleased?: true;
}

/** Compares the schemas with the released ones; empty when they can be shipped. */
export function checkReleases(
  schemas: readonly DefinedSchema[],
  released: readonly ReleasedSchema[],
): readonly SchemaFault[] {
  return schemas.flatMap(({ definition, text }) => {
    const subject = recordName(definition);
    const { type, localSchemaId } = definition;
    const own = released.find((one) => one.localSchemaId === localSchemaId);
    const earlier = released.filter((one) => one !== own && one.type === type && recordOf(one) === subject);
    const faults = earlier.flatMap((one) => faultsAgainst(subject, one, text));
    if (own === undefined) {
      const reason = `id ${localSchemaId} is not released yet: run \`npm run schemas -- release\` and commit the file`;
      return [...faults, { subject, reason, unreleased: true as const }];
    }
    if (isSameSchema(parseOwnSchema(text), parseWriterSchema(own.text))) return faults;
    const broken = [...faultsAgainst(subject, own, text), ...faults];
    if (broken.length > 0) return broken;
    const next = Math.max(...released.map((one) => one.localSchemaId)) + 1;
    const reason =
      `the schema differs from the one released with id ${localSchemaId}: ` +
      `give it localSchemaId ${next} in schemas/messages.ts, then run \`npm run schemas -- release\``;
    return [{ subject, reason }];
  });
}

/** Reasons why a schema is incompatible with an earlier version. */
export function faultsAgainst(
  subject: string,
  earlier: { readonly text: string; readonly localSchemaId?: number; readonly version?: number },
  text: string,
): SchemaFault[] {
  const which = earlier.version === undefined ? `id ${earlier.localSchemaId}` : `version ${earlier.version}`;
  const fault = faultOf(earlier.text);
  if (fault !== undefined) return [{ subject, reason: `${which} is not a valid Avro schema: ${fault}` }];
  return incompatibilities(earlier.text, text).map(({ field, reason }) => ({
    subject,
    reason: `${field} ${reason} (against ${which}; a change without a compatible form is a new version of the message)`,
  }));
}

/** Why the text is no schema; undefined if it is one. Others may register texts of any kind under a subject. */
function faultOf(text: string): string | undefined {
  try {
    parseWriterSchema(text);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function recordOf(released: ReleasedSchema): string | undefined {
  return parseWriterSchema(released.text).name;
}
