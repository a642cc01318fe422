/**
 * The input of an action whose members stand at the top of the body: read from JSON with all faults at once (E3), and
 * held against the same limits and rules where it came in Avro.
 */

import type { z } from 'zod';
import type { Fault } from '../../platform/problem.ts';
import type { InputReader } from './json-param-input.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { compileLimits } from './field-limits.ts';
import { faultsOfIssues, isRecord } from './faults.ts';
import { createRequestReader, invalid } from './request-contract.ts';

type Members = Readonly<Record<string, unknown>>;

/** How the input of one action is checked. */
export interface BodyChecks<Request> {
  readonly members: z.ZodObject & z.ZodType<Request>;
  /** Rules between members that are part of the shape; looks at what was sent. */
  readonly between?: (sent: Members) => readonly Fault[];
}

/** Compiles the reader of an action's input. */
export function createBodyReader<Request>(checks: BodyChecks<Request>): InputReader<Request> {
  const { members, between = () => [] } = checks;
  const checkLimits = compileLimits(jsonSchemaOf(members));
  return {
    read: createRequestReader(members, {
      between: (body) => (isRecord(body) ? between(body) : []),
      beside: (body, known) => faultsBeside(checks, body, known),
    }),
    check: (request) => {
      const faults: Fault[] = [];
      checkLimits?.(request, '', faults);
      faults.push(...between(request as Members));
      return faults.length === 0 ? undefined : invalid(faults);
    },
  };
}

/** Where a list was too long to be read, nothing has looked at the other members yet. */
function faultsBeside<Request>(
  { members, between = () => [] }: BodyChecks<Request>,
  body: unknown,
  known: readonly Fault[],
): readonly Fault[] {
  if (!isRecord(body) || known.some(({ code }) => code !== 'too-many-items')) return [];
  const overlong = new Set(known.map(({ path }) => path));
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !overlong.has(name)));
  const read = members.safeParse(others);
  const shape = read.success ? [] : faultsOfIssues(read.error.issues, others);
  return [...shape.filter(({ path }) => !overlong.has(path)), ...between(others)];
}
