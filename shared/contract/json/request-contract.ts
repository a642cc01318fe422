/**
 * The contract of a request, made from the definition of its fields: reads it from JSON with all faults at once (E3),
 * checks one that came in Avro against the same limits and rules, and writes it as JSON. The definition is compiled
 * once; a valid request then costs a few microseconds.
 *
 * The contract checks fields: kinds, limits, and which of them go together. What they mean is validated by the engine,
 * which the contract asks only when it has found faults of its own, so that a caller sees everything at once.
 */

import { z } from 'zod';
import type { FaultCode } from '../../lending/request/validation.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault, Warning } from '../../platform/problem.ts';
import { toFaults, isRecord, limitFaults, chooseProblemCode, type RequestProblemCode } from './faults.ts';
import { wanted } from './field-kinds.ts';
import { compileLimits } from './field-limits.ts';
import { toJsonSchema } from './json-schema.ts';
import { createJsonWriter } from './json-writer.ts';
import { fieldTree, surveyFields } from './unknown-fields.ts';

/** Field of the body that holds the fields of a calculation's request; paths of their faults start with it. */
export const JSON_PARAM = 'jsonParam';

/** Fields as they were sent. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * What a request was read as. Faults are everything that is wrong at once (E3); `problem` is the error code that they
 * amount to: `invalid-request` (400), `not-computable` (422) when the shape is right and only numbers are beyond
 * what can be calculated with (E1, M6), or `attachments-too-large` (413) when all else is right.
 */
export type ReadRequest<Payload> =
  | { readonly kind: 'valid'; readonly payload: Payload; readonly warnings: readonly Warning[] }
  | InvalidRequest;

export interface InvalidRequest {
  readonly kind: 'invalid';
  readonly problem: RequestProblemCode;
  readonly faults: readonly Fault[];
}

/** A request with faults; `others`, which it also has, do not change the error code. */
export function invalid(faults: readonly Fault[], others: readonly Fault[] = []): InvalidRequest {
  return { kind: 'invalid', problem: chooseProblemCode(faults), faults: limitFaults([...faults, ...others]) };
}

/** How the requests of one action are read, checked and written. */
export interface RequestContract<Request> {
  /** Definition of the body. */
  readonly body: z.ZodObject;
  /**
   * Reads a body, for example what `JSON.parse` answers. Never throws, whatever the value is. In a request with
   * faults, names are validated only with the catalogue that would know them.
   */
  read(body: unknown, catalogue?: ScheduleCatalogue): ReadRequest<Request>;
  /** Checks a request that was not read from JSON, because it came in Avro; undefined when it is valid. */
  check(request: Request, catalogue?: ScheduleCatalogue): InvalidRequest | undefined;
  /** JSON text of the body, the inverse of reading it. Throws on a value that is no request. */
  render(request: Request): string;
}

/** What a contract is made from. */
export interface ContractDefinition<Request> {
  /** The fields; their output is the request as the engine takes it. */
  readonly fields: z.ZodObject & z.ZodType<Request>;
  /** Description of the object {@link JSON_PARAM} that holds the fields; absent: they are at the top of the body. */
  readonly jsonParam?: string;
  /** Which fields go together; looks at the fields as they were sent. Paths are relative to them. */
  readonly between?: (sent: Fields) => readonly Fault[];
  /** Absent: faults of meaning are reported only when all fields can be read. */
  readonly meaning?: SemanticValidation<Request>;
}

/** What the engine finds wrong with a request of which other fields cannot be read. */
export interface SemanticValidation<Request> {
  /** Harmless values for mandatory fields that cannot be read. */
  readonly placeholders: Fields;
  /** The faults of a readable request, with paths relative to its fields. Without a catalogue only built-in names are known. */
  readonly faultsOf: (request: Request, catalogue: ScheduleCatalogue | undefined) => readonly Fault[];
  /** The fields without which a fault of another field cannot be established. */
  readonly dependsOn: (fault: Fault) => readonly string[];
}

/** Codes that only a catalogue can establish: it may have names of its own. */
const BY_CATALOGUE: ReadonlySet<string> = new Set<FaultCode>([
  'unknown-calendar',
  'unknown-periodicity',
  'unknown-schedule-type',
]);

/** Compiles the contract of an action's requests. */
export function createRequestContract<Request>(
  definition: ContractDefinition<Request>,
): RequestContract<Request> {
  const { fields, jsonParam, between = () => [] } = definition;
  const isWrapped = jsonParam !== undefined;
  const body: z.ZodObject = isWrapped ? jsonParamBody(fields, jsonParam) : fields;
  const schema = toJsonSchema(body);
  const fieldsSchema = (isWrapped ? schema.properties?.[JSON_PARAM] : schema) ?? {};
  const compiled = z.compile(body);
  const known = fieldTree(schema);
  const checkLimits = compileLimits(fieldsSchema);
  const renderFields = createJsonWriter(fieldsSchema);
  const place = isWrapped ? JSON_PARAM : '';
  const locate = locator(place);
  const wrap = (sent: unknown) => (isWrapped ? { [JSON_PARAM]: sent } : sent);
  const { furtherFaults, semanticFaults } = createSemanticCheck(definition, place);

  return {
    body,
    read: (sentBody, catalogue) => {
      const { warnings, overlong, faults: unknown } = surveyFields(known, sentBody);
      const sent = isWrapped && isRecord(sentBody) ? sentBody[JSON_PARAM] : sentBody;
      const unread = overlong.length === 0 ? NO_FIELDS : listTopFields(overlong, place);
      const readable = withoutFields(sent, unread);
      const read = compiled.safeParse(unread.size === 0 ? sentBody : wrap(readable));
      // Which fields of a calculation go together is checked only when all of its lists are read.
      const isComplete = unread.size === 0 || !isWrapped;
      const crossFaults = isRecord(readable) && isComplete ? between(readable) : [];
      if (read.success && overlong.length + crossFaults.length === 0) {
        const payload = (isWrapped ? read.data[JSON_PARAM] : read.data) as Request;
        return { kind: 'valid', payload, warnings };
      }
      const shapeFaults = read.success ? [] : toFaults(read.error.issues, sentBody);
      const faults = [...overlong, ...shapeFaults, ...crossFaults.map(locate)];
      const others = isRecord(sent) ? furtherFaults(sent, faults, catalogue) : [];
      return invalid(faults, [...others, ...unknown()]);
    },
    check: (request, catalogue) => {
      const faults: Fault[] = [];
      checkLimits?.(request, place, faults);
      for (const fault of between(request as Fields)) faults.push(locate(fault));
      return faults.length === 0 ? undefined : invalid(faults, semanticFaults(request, faults, catalogue));
    },
    render: (request) => {
      const text = renderFields(request);
      return isWrapped ? `{"${JSON_PARAM}":${text}}` : text;
    },
  };
}

function jsonParamBody(fields: z.ZodObject, description: string): z.ZodObject {
  return z.object(
    { [JSON_PARAM]: fields.describe(description) },
    { error: wanted(`an object with the field ${JSON_PARAM}`) },
  );
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** What was sent, without the lists beyond their limit: their items are not read. */
function withoutFields(sent: unknown, names: ReadonlySet<string>): unknown {
  if (names.size === 0 || !isRecord(sent)) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name)));
}

/** Finds the faults of meaning in the fields that have no fault yet. */
function createSemanticCheck<Request>({ fields, meaning }: ContractDefinition<Request>, place: string) {
  const names = Object.keys(fields.shape);
  const locate = locator(place);
  type Find<Sent> = (
    sent: Sent,
    known: readonly Fault[],
    catalogue: ScheduleCatalogue | undefined,
  ) => readonly Fault[];

  const semanticFaults: Find<Request> = (request, known, catalogue) => {
    if (meaning === undefined) return [];
    const faulty = listTopFields(known, place);
    const paths = new Set(known.map(({ path }) => path));
    return meaning
      .faultsOf(request, catalogue)
      .filter(({ code }) => catalogue !== undefined || !BY_CATALOGUE.has(code))
      .filter(({ path }) => !faulty.has(path) && !paths.has(joined(place, topField(path))))
      .filter((fault) => meaning.dependsOn(fault).every((name) => !faulty.has(name)))
      .map(locate)
      .filter(({ path }) => !paths.has(path));
  };

  const furtherFaults: Find<Fields> = (sent, known, catalogue) => {
    if (meaning === undefined) return [];
    const faulty = listTopFields(known, place);
    const readable = names.map((name) => [name, faulty.has(name) ? meaning.placeholders[name] : sent[name]]);
    const read = fields.safeParse(Object.fromEntries(readable));
    return read.success ? semanticFaults(read.data, known, catalogue) : [];
  };

  return { furtherFaults, semanticFaults };
}

/** The fields, without the items below them, that faults name. */
function listTopFields(faults: readonly Fault[], place: string): ReadonlySet<string> {
  const start = place === '' ? 0 : place.length + 1;
  return new Set(faults.map(({ path }) => topField(path.slice(start))));
}

function topField(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? '';
}

function joined(place: string, path: string): string {
  return place === '' ? path : `${place}.${path}`;
}

/** Puts the place of the fields before the path of a fault; of a fault callers get path, code and message. */
function locator(place: string): (fault: Fault) => Fault {
  return ({ path, code, message }) => ({ path: joined(place, path), code, message });
}
