/**
 * The forms of an action's body (E2): `{jsonParam: {...}}`, or `{access_token, user_name, Data}` with Data as object or JSON text.
 * Only access control reads the access parameters, which may also stand next to the direct input.
 */

import { MAX_REQUEST_VALUES, parseJson } from '../../platform/bounded-json.ts';
import type { Fault, Warning } from '../../platform/problem.ts';
import { isAbsent, isRecord, limitFaults, shapeFault } from './faults.ts';
import {
  invalid,
  type Fields,
  type InvalidRequest,
  type ReadRequest,
  type RequestReader,
} from './request-reader.ts';
import { MAX_WARNINGS, unknownField, unknownFieldFault } from './unknown-fields.ts';

const ACCESS_TOKEN = 'access_token';
const USER_NAME = 'user_name';
const DATA = 'Data';
const FORM_FIELDS = [ACCESS_TOKEN, USER_NAME, DATA];

/** Makes the reader of an action's body in either form; warnings about the form come first. The reader never throws. */
export function readEitherForm<Request>(
  reader: Pick<RequestReader<Request>, 'body' | 'read'>,
): (body: unknown) => ReadRequest<Request> {
  const inputFields: ReadonlySet<string> = new Set(Object.keys(reader.body.shape));
  return (body) => {
    const form = formInput(body, inputFields);
    if (form.kind === 'invalid') return form;
    const input = reader.read(form.input);
    if (form.warnings.length === 0) return input;
    if (input.kind === 'invalid') {
      const unknown = form.warnings.map(({ path }) => unknownFieldFault(path, path, FORM_FIELDS));
      return { ...input, faults: limitFaults([...input.faults, ...unknown]) };
    }
    return { ...input, warnings: [...form.warnings, ...input.warnings] };
  };
}

type FormInput =
  | {
      readonly kind: 'input';
      readonly input: unknown;
      /** Fields next to Data, which have no effect. */
      readonly warnings: readonly Warning[];
    }
  | InvalidRequest;

/** `inputFields` are the top-level names of the input: next to Data they would be a second input, which is refused. */
function formInput(body: unknown, inputFields: ReadonlySet<string>): FormInput {
  if (!isRecord(body) || FORM_FIELDS.every((name) => !Object.hasOwn(body, name)))
    return { kind: 'input', input: body, warnings: [] };
  const faults: Fault[] = [];
  checkText(body, ACCESS_TOKEN, faults);
  checkText(body, USER_NAME, faults);
  const { [ACCESS_TOKEN]: _token, [USER_NAME]: _name, [DATA]: data, ...others } = body;
  const input = isAbsent(data) ? others : dataInput(data, faults);
  const extra = isAbsent(data) ? [] : Object.keys(others);
  for (const name of extra.filter((field) => inputFields.has(field))) {
    faults.push(
      shapeFault(name, 'mutually-exclusive', 'is sent together with Data; must be sent in one place only'),
    );
  }
  if (faults.length > 0) return invalid(faults);
  return { kind: 'input', input, warnings: extra.slice(0, MAX_WARNINGS).map((name) => unknownField(name)) };
}

function checkText(body: Fields, name: string, faults: Fault[]): void {
  const value = body[name];
  if (isAbsent(value) || typeof value === 'string') return;
  faults.push(shapeFault(name, 'wrong-type', 'must be text'));
}

function dataInput(data: unknown, faults: Fault[]): unknown {
  let input = data;
  if (typeof data === 'string') {
    const parsed = parseJson(data, { whole: DATA, maxValues: MAX_REQUEST_VALUES });
    if (parsed.kind === 'refused') {
      faults.push(...parsed.faults.map(asFaultOfData));
      return undefined;
    }
    input = parsed.value;
  }
  if (isRecord(input)) return input;
  faults.push(shapeFault(DATA, 'wrong-type', 'must be an object or its JSON text'));
  return undefined;
}

/** A fault of syntax in the text has a code of its own, which says that the body around it is JSON. */
function asFaultOfData(fault: Fault): Fault {
  if (fault.code !== 'malformed-json') return fault;
  return shapeFault(DATA, 'invalid-json', `${fault.message}; must be an object or its JSON text`);
}
