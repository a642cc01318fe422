/** The two forms of an action's body (E2): direct, or generic, in which Data is the direct body or its JSON text. */

import { MAX_REQUEST_VALUES, parseJson } from '../../platform/parse-json.ts';
import type { Fault } from '../../platform/problem.ts';
import { isAbsent, isRecord, limitFaults, shapeFault } from './faults.ts';
import { invalid, type ReadRequest, type RequestReader } from './request-reader.ts';
import { MAX_WARNINGS, unknownField, unknownFieldFault } from './unknown-fields.ts';

const ACCESS_TOKEN = 'access_token';
const USER_NAME = 'user_name';
const DATA = 'Data';
const FORM_FIELDS = [ACCESS_TOKEN, USER_NAME, DATA];

/** Makes a reader of both forms, which never throws. Its warnings about fields beside Data come first. */
export function readEitherForm<Request>(reader: Pick<RequestReader<Request>, 'body' | 'read'>) {
  return (body: unknown): ReadRequest<Request> => {
    if (!isRecord(body) || FORM_FIELDS.every((name) => !Object.hasOwn(body, name))) return reader.read(body);
    const { [ACCESS_TOKEN]: token, [USER_NAME]: user, [DATA]: data, ...others } = body;
    const faults: Fault[] = [];
    for (const [name, value] of Object.entries({ [ACCESS_TOKEN]: token, [USER_NAME]: user })) {
      if (isAbsent(value) || typeof value === 'string') continue;
      faults.push(shapeFault(name, 'wrong-type', 'must be text'));
    }
    const input = isAbsent(data) ? others : dataInput(data, faults);
    const extra = isAbsent(data) ? [] : Object.keys(others);
    for (const name of extra.filter((field) => Object.hasOwn(reader.body.shape, field))) {
      const message = 'is sent together with Data; must be sent in one place only';
      faults.push(shapeFault(name, 'mutually-exclusive', message));
    }
    if (faults.length > 0) return invalid(faults);
    const read = reader.read(input);
    const warnings = extra.slice(0, MAX_WARNINGS).map((name) => unknownField(name));
    if (read.kind === 'valid') return { ...read, warnings: [...warnings, ...read.warnings] };
    const unknown = warnings.map(({ path }) => unknownFieldFault(path, path, FORM_FIELDS));
    return { ...read, faults: limitFaults([...read.faults, ...unknown]) };
  };
}

function dataInput(data: unknown, faults: Fault[]): unknown {
  const other = 'must be an object or its JSON text';
  const parsed =
    typeof data === 'string'
      ? parseJson(data, { whole: DATA, maxValues: MAX_REQUEST_VALUES })
      : { kind: 'parsed' as const, value: data };
  if (parsed.kind !== 'refused') {
    if (!isRecord(parsed.value)) faults.push(shapeFault(DATA, 'wrong-type', other));
    return parsed.value;
  }
  // A syntax error in Data has a code of its own, to tell it from a syntax error in the body around it.
  const own = parsed.faults.map((fault) =>
    fault.code === 'malformed-json' ? shapeFault(DATA, 'invalid-json', `${fault.message}; ${other}`) : fault,
  );
  faults.push(...own);
  return undefined;
}
