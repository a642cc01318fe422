import type { z } from 'zod';
import type { Fault } from '../../platform/problem.ts';
import { limitFaults, toFaults } from '../json/faults.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { fieldTree, surveyFields } from '../json/unknown-fields.ts';

/** The fields of a call of the operations interface, or all of its faults. */
export type ReadFields<Fields> =
  | { readonly kind: 'read'; readonly fields: Fields }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

/**
 * Reads the fields of a call. Unlike requests (E3), a call with an unknown field is refused: an action whose `dryRun` is
 * misspelt must not be carried out.
 */
export function readFields<Shape extends z.ZodObject>(
  shape: Shape,
  sent: unknown,
): ReadFields<z.output<Shape>> {
  const survey = surveyFields(fieldTree(toJsonSchema(shape)), sent);
  const read = survey.overlong.length === 0 ? shape.safeParse(sent) : undefined;
  const faults = [
    ...survey.overlong,
    ...(read?.success === false ? toFaults(read.error.issues, sent) : []),
    ...survey.faults(),
  ];
  if (read?.success === true && faults.length === 0) return { kind: 'read', fields: read.data };
  return { kind: 'invalid', faults: limitFaults(faults) };
}

/**
 * Reads the parameters of a query string, parsed into strings and lists of them. A parameter of a list may be sent once; a
 * repeated parameter elsewhere is a fault.
 */
export function readQuery<Shape extends z.ZodObject>(
  shape: Shape,
  query: unknown,
): ReadFields<z.output<Shape>> {
  const lists = Object.entries(toJsonSchema(shape).properties ?? {}).filter(
    ([, { items }]) => items !== undefined,
  );
  const names = new Set(lists.map(([name]) => name));
  const sent = Object.entries(query as Readonly<Record<string, unknown>>).map(([name, value]) => [
    name,
    names.has(name) && !Array.isArray(value) ? [value] : value,
  ]);
  return readFields(shape, Object.fromEntries(sent));
}
