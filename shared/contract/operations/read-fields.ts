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
  const survey = surveyFields(describeShape(shape).tree, sent);
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
  const { lists } = describeShape(shape);
  const sent = Object.entries(query as Readonly<Record<string, unknown>>).map(([name, value]) => [
    name,
    lists.has(name) && !Array.isArray(value) ? [value] : value,
  ]);
  return readFields(shape, Object.fromEntries(sent));
}

interface ShapeDescription {
  readonly tree: ReturnType<typeof fieldTree>;
  /** The names of its lists. */
  readonly lists: ReadonlySet<string>;
}

const described = new WeakMap<z.ZodObject, ShapeDescription>();

/** Derived once from each definition, which takes a millisecond: most of the time of a call. */
function describeShape(shape: z.ZodObject): ShapeDescription {
  const known = described.get(shape);
  if (known !== undefined) return known;
  const schema = toJsonSchema(shape);
  const lists = Object.entries(schema.properties ?? {}).filter(([, { items }]) => items !== undefined);
  const description = { tree: fieldTree(schema), lists: new Set(lists.map(([name]) => name)) };
  described.set(shape, description);
  return description;
}
