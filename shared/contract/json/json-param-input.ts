/**
 * The input of a calculation, `{jsonParam: {...}}`: read from JSON with all faults at once (E3), and held against the
 * same limits and rules where it came in Avro.
 */

import { z } from 'zod';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault } from '../../platform/problem.ts';
import { createFaultsBeside, REQUEST_MEMBER, type MemberChecks } from './faults-beside-shape.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { wanted } from './field-kinds.ts';
import { compileLimits } from './field-limits.ts';
import { isRecord } from './faults.ts';
import { createRequestReader, invalid, type InvalidRequest, type RequestReader } from './request-contract.ts';

/** The definition of a body that holds the members. */
export function jsonParamBody<Definition extends z.ZodObject>(members: Definition, description: string) {
  return z.object(
    { [REQUEST_MEMBER]: members.describe(description) },
    { error: wanted(`an object with the member ${REQUEST_MEMBER}`) },
  );
}

/** How the input of one action is checked. */
export interface InputChecks<Request> extends MemberChecks<Request> {
  /** The body that holds the members. */
  readonly body: z.ZodType<{ readonly [REQUEST_MEMBER]: Request }>;
  /** Rules between members that are part of the shape; paths start with {@link REQUEST_MEMBER}. */
  readonly between?: (members: Readonly<Record<string, unknown>>) => readonly Fault[];
}

/** Reads and checks the input of one action. */
export interface InputReader<Request> {
  /** Reads the body of an HTTP call or of a JSON message. Never throws. */
  readonly read: RequestReader<Request>;
  /**
   * Holds a payload that came in Avro against what JSON is held against; undefined when it keeps all of it. Names are
   * judged only with the catalogue that would know them.
   */
  readonly check: (request: Request, catalogue?: ScheduleCatalogue) => InvalidRequest | undefined;
}

/** Compiles the reader of an action's input. */
export function createInputReader<Request>(checks: InputChecks<Request>): InputReader<Request> {
  const { body: definition, members, between = noFaults } = checks;
  const betweenOf = (sent: unknown) => (isRecord(sent) ? between(sent) : []);
  const beside = createFaultsBeside(checks);
  const readBody = createRequestReader(definition, {
    between: (body) => betweenOf(isRecord(body) ? body[REQUEST_MEMBER] : undefined),
    beside: beside.inBody,
  });
  const checkLimits = compileLimits(jsonSchemaOf(members));
  return {
    read: (body, catalogue) => {
      const read = readBody(body, catalogue);
      return read.kind === 'valid' ? { ...read, payload: read.payload[REQUEST_MEMBER] } : read;
    },
    check: (request, catalogue) => {
      const faults: Fault[] = [...betweenOf(request)];
      checkLimits?.(request, REQUEST_MEMBER, faults);
      return faults.length === 0 ? undefined : invalid(faults, beside.inPayload(request, faults, catalogue));
    },
  };
}

function noFaults(): readonly Fault[] {
  return [];
}
