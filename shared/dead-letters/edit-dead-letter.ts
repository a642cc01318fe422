import { isDeepStrictEqual } from 'node:util';
import { isRecord, limitFaults, shapeFault, type ShapeFaultCode } from '../api/json/faults.ts';
import { OPERATIONS_LIMITS as LIMIT } from '../api/operations/operation-fields.ts';
import type { Decoded, MessageFormat } from '../messaging/codec.ts';
import { HEADER, headerText } from '../messaging/headers.ts';
import type { MessageCodec } from '../messaging/codec/message-codec.ts';
import type { LogMessage, MessageHeaders } from '../messaging/message.ts';
import { REQUEST_BATCH } from '../messaging/codec/request-batch.ts';
import { errorText } from '../platform/errors.ts';
import { keepDigits, MAX_REQUEST_VALUES, parseJson, refusalText } from '../platform/parse-json.ts';
import type { Fault } from '../platform/problem.ts';
import { formOf } from './masked-payload.ts';
import { faultText, plainPath } from './read-dead-letter.ts';

export interface Edit {
  readonly patch: unknown;
  /** Headers to set; those that are undefined are removed. */
  readonly headers: MessageHeaders;
  /** The changed fields and headers for the audit, without values. */
  readonly changed: readonly string[];
}

const NO_CHANGE = 'the edit has no effect';
const HEADER_NAME = /^[\w.-]{1,100}$/;
const EPOCH_MS = /^\d{13}$/;
const CONTROL = /\p{Cc}/u;
const MAX_SHOWN_NAME = 60;
/** The only `plat-` headers that an edit may change: senders, the ingress, workers and redrives set the others. */
const EDITABLE_HEADERS: ReadonlySet<string> = new Set([HEADER.messageType, HEADER.originTimestamp]);
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  Object.values(HEADER).filter((name) => name.startsWith('plat-') && !EDITABLE_HEADERS.has(name)),
);

/** Checks the changes of an edit. Its faults have paths such as `patch.FIELD` and `headers.NAME`. */
export function createEdit(
  patch: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string | null>> = {},
): Edit | { readonly faults: readonly Fault[] } {
  const fields = [...new Set(changedFields(patch))];
  const names = Object.keys(headers);
  const faults: Fault[] = [];
  const refuse = (path: string, code: ShapeFaultCode, message: string) =>
    faults.push(shapeFault(path, code, message));
  if (Object.hasOwn(patch, 'notificationId')) {
    const message = 'notificationId cannot be changed: it prevents duplicate messages';
    refuse('patch.notificationId', 'unknown-value', message);
  }
  for (const path of fields.filter((one) => one.length > LIMIT.editedPathCharacters)) {
    const message = `the path of a field must have at most ${LIMIT.editedPathCharacters} characters`;
    refuse(`patch.${path.slice(0, MAX_SHOWN_NAME)}`, 'too-long', message);
  }
  if (fields.length > LIMIT.editedFields)
    refuse('patch', 'too-many-items', `an edit may change at most ${LIMIT.editedFields} fields`);
  for (const [name, value] of Object.entries(headers)) {
    const [code, message] = headerFault(name, value ?? '') ?? [];
    if (code !== undefined) refuse(`headers.${name.slice(0, MAX_SHOWN_NAME)}`, code, message ?? '');
  }
  if (names.length > LIMIT.editedHeaders)
    refuse('headers', 'too-many-items', `an edit may change at most ${LIMIT.editedHeaders} headers`);
  if (faults.length > 0) return { faults: limitFaults(faults) };
  return {
    patch,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? undefined])),
    changed: [...new Set([...fields.map(plainPath), ...names.map((name) => `header ${name}`)])],
  };
}

function headerFault(name: string, value: string): [ShapeFaultCode, string] | undefined {
  const most = LIMIT.editedHeaderCharacters;
  if (!HEADER_NAME.test(name))
    return ['invalid-name', 'a header has a name of 1 to 100 letters, digits, dots, dashes and underscores'];
  if (RESERVED_HEADERS.has(name)) return ['invalid-name', `only the workers set the header ${name}`];
  if (value.length > most) return ['too-long', `the value of a header must have at most ${most} characters`];
  if (CONTROL.test(value))
    return ['control-character', 'the value of a header must not contain control characters'];
  if (name === HEADER.originTimestamp && value !== '' && !EPOCH_MS.test(value))
    return ['wrong-type', `${name} must be epoch milliseconds, such as 1777629600000`];
  return undefined;
}

type Refused = ReturnType<typeof refused>;

type Edited =
  | {
      readonly kind: 'edited';
      readonly value: Buffer;
      readonly headers: MessageHeaders;
      readonly warnings: readonly string[];
    }
  | Refused;

/** By this header the worker decides whether its delivery log may lack a send; a later time could cause a duplicate. */
const KEEPS_ORIGIN = `a notification keeps its ${HEADER.originTimestamp}: it prevents duplicate messages`;

/** Edits a letter and validates it as the worker does. Rejects if the schema registry cannot be used. */
export async function editMessage(
  { message, isCommand }: { readonly message: LogMessage; readonly isCommand: boolean },
  edit: Edit,
  codec: MessageCodec,
): Promise<Edited> {
  if (isCommand && Object.hasOwn(edit.headers, HEADER.originTimestamp)) return refused(KEEPS_ORIGIN);
  const headers = { ...message.headers, ...edit.headers };
  const decoded = await codec.decode({ ...message, headers });
  if (decoded.kind === 'decoded' && decoded.type === REQUEST_BATCH) return editBatch(message, edit);
  const base = basePayload({ ...message, headers }, decoded);
  if (base.kind === 'refused') return base;
  const { type, format, content } = base;
  const changed = mergePatch(content, edit.patch);
  const isSame = isDeepStrictEqual(changed, content) && Object.keys(edit.headers).length === 0;
  if (isSame) return refused(NO_CHANGE);
  const read = formOf(type)?.parse(changed);
  if (read === undefined) return refused(`${type} has no JSON form`);
  if (read.kind === 'invalid') return refused(`the edited payload is invalid: ${joinFaults(read.faults)}`);
  const faults = format === 'avro' ? codec.faultsOf(type, read.payload) : [];
  if (faults.length > 0) return refused(`the edited payload is invalid: ${joinFaults(faults)}`);
  const encoded = await codec.encode(type, read.payload, format);
  const warnings = read.warnings.map(({ code, path }) => `${code};${plainPath(path)}`);
  return { kind: 'edited', value: encoded.value, headers: { ...edit.headers, ...encoded.headers }, warnings };
}

interface Base {
  readonly kind: 'base';
  readonly type: string;
  readonly format: MessageFormat;
  readonly content: unknown;
}

/** A patch cannot address one of several requests, so only the headers can be changed. */
function editBatch({ value }: LogMessage, { patch, headers }: Edit): Edited {
  if (changedFields(patch).length > 0 || value === null)
    return refused(
      'it contains several requests, so only its headers can be edited; redrive it, and have its sender correct the invalid requests',
    );
  if (Object.keys(headers).length === 0) return refused(NO_CHANGE);
  return { kind: 'edited', value, headers, warnings: [] };
}

function basePayload(message: LogMessage, decoded: Decoded): Base | Refused {
  if (decoded.format === 'json') return jsonBase(message);
  if (decoded.kind === 'undecodable')
    return refused('the payload cannot be decoded, so it cannot be edited; discard it');
  const { type, payload } = decoded;
  const shape = formOf(type);
  if (shape === undefined) return refused(`${type} has no JSON form`);
  try {
    const text = shape.render(payload);
    const content: unknown = JSON.parse(text, keepDigits);
    const again = shape.parse(content);
    // An edit must not change fields that its patch does not contain.
    const isLossless = again.kind === 'valid' && shape.render(again.payload) === text;
    if (isLossless) return { kind: 'base', type, format: 'avro', content };
    return refused('the payload cannot be edited without loss');
  } catch (error) {
    return refused(`the payload cannot be edited: ${errorText(error)}`);
  }
}

function jsonBase({ value, headers }: LogMessage): Base | Refused {
  const type = headerText(headers, HEADER.messageType);
  const name = HEADER.messageType;
  if (type === undefined || formOf(type) === undefined)
    return refused(`its header ${name} names no known type; set the header ${name}=TYPE`);
  const parsed = parseJson(value ?? '', { maxValues: MAX_REQUEST_VALUES });
  if (parsed.kind === 'refused')
    return refused(`${refusalText(parsed, 'the payload')}, so it cannot be edited; discard it`);
  return { kind: 'base', type, format: 'json', content: parsed.value };
}

function joinFaults(faults: readonly Fault[]): string {
  return faults.map(faultText).join('; ');
}

function refused(why: string) {
  return { kind: 'refused', why } as const;
}

/** Applies a JSON merge patch (RFC 7396): merges objects, removes fields that are null, replaces other values. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

/** The paths of the fields that a patch changes, such as `jsonParam.Amount`. */
function changedFields(patch: unknown, path = ''): readonly string[] {
  // A path that is already too long is refused, so a deep patch need not be read further.
  if (!isRecord(patch) || path.length > LIMIT.editedPathCharacters) return path === '' ? [] : [path];
  const entries = Object.entries(patch);
  if (entries.length === 0 && path !== '') return [path];
  return entries.flatMap(([name, change]) => changedFields(change, path === '' ? name : `${path}.${name}`));
}
