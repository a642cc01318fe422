/** Reads requests from JSON and finds all faults (E3), checks requests from Avro by the same rules, and writes JSON. */

import { z } from 'zod';
import type { FaultCode } from '../../lending/request/validation.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import { lazy } from '../../platform/lazy.ts';
import { type Fault, type Warning, joinPath } from '../../platform/problem.ts';
import {
  chooseProblemCode,
  isRecord,
  limitFaults,
  type RequestProblemCode,
  toFaults,
  topField,
} from './faults.ts';
import { objectOf } from './field-kinds.ts';
import { compileLimits } from './field-limits.ts';
import { toJsonSchema } from './json-schema.ts';
import { createJsonWriter } from './json-writer.ts';
import { surveyFields, withoutFields } from './unknown-fields.ts';

/** Field of the body that holds the fields of a calculation request. The paths of their faults start with it. */
export const JSON_PARAM = 'jsonParam';

export type Fields = Readonly<Record<string, unknown>>;

/** A request or its faults (E3): 422 if all concern numbers out of range (M6), 413 if all oversized files, else 400. */
export type ReadRequest<Payload> =
  | { readonly kind: 'valid'; readonly payload: Payload; readonly warnings: readonly Warning[] }
  | InvalidRequest;

export interface InvalidRequest {
  readonly kind: 'invalid';
  readonly problem: RequestProblemCode;
  readonly faults: readonly Fault[];
}

/** A request with `faults`, which determine the code of the problem, and `others`, which are only listed after them. */
export function invalid(faults: readonly Fault[], others: readonly Fault[] = []): InvalidRequest {
  return { kind: 'invalid', problem: chooseProblemCode(faults), faults: limitFaults([...faults, ...others]) };
}

export interface RequestReader<Request> {
  readonly body: z.ZodObject;
  /** Reads a parsed body. Never throws. Beside other faults, BY_CATALOGUE ones are reported only with a `catalogue`. */
  read(body: unknown, catalogue?: ScheduleCatalogue): ReadRequest<Request>;
  /** Checks the limits and the combination of fields of a request from Avro; undefined if there is no fault. */
  check(request: Request, catalogue?: ScheduleCatalogue): InvalidRequest | undefined;
  /** Writes the body of a valid request as JSON text. */
  render(request: Request): string;
}

interface ReaderDefinition<Request> {
  readonly fields: z.ZodObject & z.ZodType<Request>;
  /** Description of the object {@link JSON_PARAM} that holds the fields; absent if the body itself holds them. */
  readonly jsonParam?: string;
  /** Finds faults in the combination of fields that were sent. The paths are relative to the object with the fields. */
  readonly between?: (sent: Fields) => readonly Fault[];
  /** The engine's check of a request that is refused anyway, so that all faults are listed; absent without one. */
  readonly meaning?: {
    /** Values that replace mandatory fields that cannot be read. */
    readonly placeholders: Fields;
    /** The faults that the engine finds, with paths as in `between`; without a catalogue, it knows only built-ins. */
    readonly faultsOf: (request: Request, catalogue: ScheduleCatalogue | undefined) => readonly Fault[];
    /** The fields on which a fault depends. If one of them cannot be read, the fault is not reported. */
    readonly dependsOn: (fault: Fault) => readonly string[];
  };
}

/** Codes of faults of unknown names. They are reported only with a catalogue, which may add names. */
const BY_CATALOGUE: ReadonlySet<string> = new Set<FaultCode>([
  'unknown-calendar',
  'unknown-periodicity',
  'unknown-schedule-type',
]);

export function createRequestReader<Request>(definition: ReaderDefinition<Request>): RequestReader<Request> {
  const { fields, jsonParam, between = () => [] } = definition;
  const isWrapped = jsonParam !== undefined;
  const body: z.ZodObject = isWrapped
    ? objectOf({ [JSON_PARAM]: fields.describe(jsonParam) }, `an object with the field ${JSON_PARAM}`)
    : fields;
  const schemaOfBody = lazy(() => toJsonSchema(body));
  const schemaOfFields = () => {
    const schema = schemaOfBody();
    return (isWrapped ? schema.properties?.[JSON_PARAM] : schema) ?? {};
  };
  const compiled = lazy(() => z.compile(body));
  const limits = lazy(() => compileLimits(schemaOfFields()));
  const writer = lazy(() => createJsonWriter(schemaOfFields()));
  const place = isWrapped ? JSON_PARAM : '';
  const locate = locator(place);
  const { furtherFaults, semanticFaults } = createSemanticCheck(definition, place);

  return {
    body,
    read: (sentBody, catalogue) => {
      const { warnings, overlong, faults: unknown } = surveyFields(schemaOfBody(), sentBody);
      const sent = isWrapped && isRecord(sentBody) ? sentBody[JSON_PARAM] : sentBody;
      const unread = listTopFields(overlong, place);
      const readable = withoutFields(sent, unread);
      const read = compiled().safeParse(
        unread.size === 0 ? sentBody : isWrapped ? { [JSON_PARAM]: readable } : readable,
      );
      // In a calculation (isWrapped), `between` would take an overlong list, which is not read, for an absent one.
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
      limits()?.(request, place, faults);
      for (const fault of between(request as Fields)) faults.push(locate(fault));
      return faults.length === 0 ? undefined : invalid(faults, semanticFaults(request, faults, catalogue));
    },
    render: (request) => {
      const text = writer()(request);
      return isWrapped ? `{"${JSON_PARAM}":${text}}` : text;
    },
  };
}

function createSemanticCheck<Request>({ fields, meaning }: ReaderDefinition<Request>, place: string) {
  const semanticFaults = (request: Request, known: readonly Fault[], catalogue?: ScheduleCatalogue) => {
    const faulty = listTopFields(known, place);
    const paths = new Set(known.map(({ path }) => path));
    const found = meaning?.faultsOf(request, catalogue) ?? [];
    return found
      .filter(({ code }) => catalogue !== undefined || !BY_CATALOGUE.has(code))
      .filter(({ path }) => !faulty.has(path) && !paths.has(joinPath(place, topField(path))))
      .filter((fault) => meaning?.dependsOn(fault).every((name) => !faulty.has(name)))
      .map(locator(place))
      .filter(({ path }) => !paths.has(path));
  };

  const furtherFaults = (sent: Fields, known: readonly Fault[], catalogue?: ScheduleCatalogue) => {
    if (meaning === undefined) return [];
    const faulty = listTopFields(known, place);
    const readable = Object.keys(fields.shape).map((name) => [
      name,
      faulty.has(name) ? meaning.placeholders[name] : sent[name],
    ]);
    const read = fields.safeParse(Object.fromEntries(readable));
    return read.success ? semanticFaults(read.data, known, catalogue) : [];
  };

  return { furtherFaults, semanticFaults };
}

function listTopFields(faults: readonly Fault[], place: string): ReadonlySet<string> {
  const start = place === '' ? 0 : place.length + 1;
  return new Set(faults.map(({ path }) => topField(path.slice(start))));
}

function locator(place: string): (fault: Fault) => Fault {
  return ({ path, code, message }) => ({ path: joinPath(place, path), code, message });
}
