/**
 * What else is wrong with a request whose shape is wrong already: a caller learns everything at once (E3), not first
 * what cannot be read and then what cannot be calculated. Members with a fault are taken out, and what can still be
 * told about the others is added.
 */

import type { z } from 'zod';
import type { FaultCode } from '../../lending/request/refusal.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault } from '../../platform/problem.ts';
import { faultsOfIssues, isRecord } from './faults.ts';

/** Where the members of a calculation's request stand in the body; paths of faults start with it. */
export const REQUEST_MEMBER = 'jsonParam';

/** A record of members that is read as a request of the calculation. */
export type MembersOf<Request> = z.ZodObject & z.ZodType<Request>;

/** What is wrong with the meaning of an action's members, as far as it can be told when some cannot be read. */
export interface MemberChecks<Request> {
  readonly members: MembersOf<Request>;
  /** Harmless values for mandatory members that cannot be read. */
  readonly standIns: Readonly<Record<string, unknown>>;
  /**
   * The faults of a request that can be read; their paths are members without {@link REQUEST_MEMBER}. Without a
   * catalogue built-in names are known; what is then told of others is left out.
   */
  readonly faultsOf: (request: Request, catalogue: ScheduleCatalogue | undefined) => readonly Fault[];
  /** Names of the members without which the fault of another one cannot be told. */
  readonly restsOn: (fault: Fault) => readonly string[];
}

/** Finds faults beside those that are known already. */
export interface FaultsBeside<Request> {
  /** Of a JSON body; none when the members themselves cannot be reached. */
  readonly inBody: (
    body: unknown,
    known: readonly Fault[],
    catalogue: ScheduleCatalogue | undefined,
  ) => readonly Fault[];
  /** Of a payload. */
  readonly inPayload: (
    request: Request,
    known: readonly Fault[],
    catalogue: ScheduleCatalogue | undefined,
  ) => readonly Fault[];
}

/** Faults that only a catalogue can tell: it may hold names of its own. */
const BY_CATALOGUE: ReadonlySet<string> = new Set<FaultCode>([
  'unknown-calendar',
  'unknown-periodicity',
  'unknown-schedule-type',
]);

/** Prepares the search of an action's members. */
export function createFaultsBeside<Request>(checks: MemberChecks<Request>): FaultsBeside<Request> {
  const { members, standIns, faultsOf, restsOn } = checks;
  const names = Object.keys(members.shape);

  const inPayload: FaultsBeside<Request>['inPayload'] = (request, known, catalogue) => {
    const faulty = membersOf(known);
    const told = new Set(known.map(({ path }) => path));
    return faultsOf(request, catalogue)
      .filter(({ code }) => catalogue !== undefined || !BY_CATALOGUE.has(code))
      .filter(({ path }) => !faulty.has(path) && !told.has(fullPath(memberOf(path))))
      .filter((fault) => restsOn(fault).every((name) => !faulty.has(name)))
      .map(withFullPath)
      .filter(({ path }) => !told.has(path));
  };

  const inBody: FaultsBeside<Request>['inBody'] = (body, known, catalogue) => {
    const sent = isRecord(body) ? body[REQUEST_MEMBER] : undefined;
    if (!isRecord(sent)) return [];
    const faulty = membersOf(known);
    const readable = names.map((name) => [name, faulty.has(name) ? standIns[name] : sent[name]]);
    const read = members.safeParse(Object.fromEntries(readable));
    if (read.success) return inPayload(read.data, known, catalogue);
    // Where a list was too long to be read, nothing has looked at the shape of the other members yet.
    const others = faultsOfIssues(read.error.issues, sent).map(withFullPath);
    return [...others, ...inBody(body, [...known, ...others], catalogue)];
  };

  return { inBody, inPayload };
}

/** The members, without the items below them, that faults name. */
function membersOf(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.map(({ path }) => memberOf(path.slice(REQUEST_MEMBER.length + 1))));
}

function memberOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? '';
}

function fullPath(path: string): string {
  return `${REQUEST_MEMBER}.${path}`;
}

function withFullPath({ path, code, message }: Fault): Fault {
  return { path: fullPath(path), code, message };
}
