/**
 * The input of an action, out of the two forms in which the body of a call may come (E2): direct, `{jsonParam: {...}}`,
 * and generic, `{access_token, user_name, Data}`, where Data is the input as an object or as its JSON text. The access
 * parameters may also stand beside the direct input. They are never repeated in a message.
 */

import type { Fault, Warning } from '../../platform/problem.ts';
import { isAbsent, isRecord, shapeFault } from './faults.ts';
import { invalid, type InvalidRequest } from './request-contract.ts';
import { MAX_WARNINGS, unknownMember } from './unknown-fields.ts';

/** Parameters of the generic action endpoint. */
const ACCESS_TOKEN = 'access_token';
const USER_NAME = 'user_name';
const DATA = 'Data';
/** The members of the generic form. */
export const FORM_MEMBERS = [ACCESS_TOKEN, USER_NAME, DATA];

/** The input with the parameters that came with it, or what is wrong with the form. */
export type ActionInput =
  | {
      readonly kind: 'input';
      readonly input: unknown;
      readonly accessToken?: string;
      readonly userName?: string;
      /** Members beside Data, which have no effect. */
      readonly warnings: readonly Warning[];
    }
  | InvalidRequest;

/**
 * Takes the input out of a parsed body. `inputMembers` are the names on the input's top level: beside Data they would
 * be a second input, which is refused. Never throws, whatever the body is.
 */
export function actionInput(body: unknown, inputMembers: ReadonlySet<string>): ActionInput {
  if (!isRecord(body) || !isGeneric(body)) return { kind: 'input', input: body, warnings: [] };
  const faults: Fault[] = [];
  const accessToken = parameterText(body, ACCESS_TOKEN, faults);
  const userName = parameterText(body, USER_NAME, faults);
  const { [ACCESS_TOKEN]: _token, [USER_NAME]: _name, [DATA]: data, ...others } = body;
  const input = isAbsent(data) ? others : dataInput(data, faults);
  const beside = isAbsent(data) ? [] : Object.keys(others);
  for (const name of beside.filter((member) => inputMembers.has(member))) {
    faults.push(
      shapeFault(name, 'mutually-exclusive', 'is sent beside Data; must be sent in one place only'),
    );
  }
  if (faults.length > 0) return invalid(faults);
  return {
    kind: 'input',
    input,
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(userName === undefined ? {} : { userName }),
    warnings: beside.slice(0, MAX_WARNINGS).map((name) => unknownMember(name)),
  };
}

function isGeneric(body: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(body, DATA) || Object.hasOwn(body, ACCESS_TOKEN) || Object.hasOwn(body, USER_NAME);
}

function parameterText(body: Readonly<Record<string, unknown>>, name: string, faults: Fault[]) {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value;
  faults.push(shapeFault(name, 'wrong-type', 'must be text'));
  return undefined;
}

function dataInput(data: unknown, faults: Fault[]): unknown {
  const input = typeof data === 'string' ? parsed(data) : data;
  if (isRecord(input)) return input;
  if (input === undefined)
    faults.push(shapeFault(DATA, 'invalid-json', 'is not valid JSON; must be an object or its JSON text'));
  else faults.push(shapeFault(DATA, 'wrong-type', 'must be an object or its JSON text'));
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes the text, which may hold secrets.
    return undefined;
  }
}
