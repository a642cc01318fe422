import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { MESSAGE_FORMS } from '../../shared/contract/actions/message-forms.ts';
import type { Decoded, MessageFormat } from '../../shared/messaging/codec.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import type { LogMessage, MessageHeaders } from '../../shared/messaging/message.ts';
import { REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import { errorText } from '../../shared/platform/errors.ts';
import type { Fault } from '../../shared/platform/problem.ts';
import { UsageError } from '../command-line/parse-command-line.ts';
import type { EditOptions } from './arguments.ts';

/** The requested changes to a message. */
export interface Edit {
  /** JSON merge patches of the payload, in order. */
  readonly patches: readonly unknown[];
  /** Headers to set; those that are undefined are removed. */
  readonly headers: MessageHeaders;
  /** The changed fields and headers for the audit, without values. */
  readonly changed: readonly string[];
}

const NO_CHANGE = 'the edit has no effect';
const HEADER_NAME = /^[\w.-]{1,100}$/;
/** The other headers of this project are set only by the workers and by this command. */
const EDITABLE_HEADERS: ReadonlySet<string> = new Set([HEADER.messageType, HEADER.originTimestamp]);
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  Object.values(HEADER).filter((name) => name.startsWith('plat-') && !EDITABLE_HEADERS.has(name)),
);

/** Reads and validates the patch file, each --set and the headers. Throws UsageError. */
export function readEdit({ set, patchFile, headers }: EditOptions): Edit {
  const patches = [
    ...(patchFile === undefined ? [] : [readPatch(patchFile)]),
    ...set.map((setting) => {
      const patch = patchOfSetting(setting);
      if (patch === undefined)
        throw new UsageError('--set must be PATH=VALUE, such as receiver=+40722123456');
      return patch;
    }),
  ];
  for (const patch of patches) {
    if (!isObject(patch)) throw new UsageError('a patch must be a JSON object');
    if (!Object.hasOwn(patch, 'notificationId')) continue;
    throw new UsageError('notificationId cannot be changed: it prevents duplicate messages');
  }
  const changes = headers.map(readHeader);
  const fields = patches.flatMap((patch) => changedFields(patch));
  return {
    patches,
    headers: Object.fromEntries(changes),
    changed: [...new Set([...fields, ...changes.map(([name]) => `header ${name}`)])],
  };
}

function readHeader(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!HEADER_NAME.test(name)) {
    throw new UsageError(
      '--header must be NAME=VALUE, such as kafka_replyTopic=bank.replies; without VALUE it is removed',
    );
  }
  if (RESERVED_HEADERS.has(name)) throw new UsageError(`only the workers set the header ${name}`);
  const value = text.slice(at + 1);
  return [name, value === '' ? undefined : value];
}

function readPatch(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--patch ${file} cannot be read as JSON: ${errorText(error)}`);
  }
}

interface Refused {
  readonly kind: 'refused';
  readonly why: string;
}

/** The value and the changed headers of an edited copy. */
export type Edited =
  | {
      readonly kind: 'edited';
      readonly value: Buffer;
      /** Headers that are undefined are removed. */
      readonly headers: MessageHeaders;
      /** Ignored fields, as `code;path`. */
      readonly warnings: readonly string[];
    }
  | Refused;

/**
 * Changes headers and payload and validates them as the worker does: by the reader of the message type, which reports
 * all faults, and by the Avro schema if the letter is Avro. The copy has the format of the letter. Invalid JSON fields
 * can be corrected, undecodable bytes cannot. Rejects only if the schema registry cannot be reached.
 */
export async function editMessage(message: LogMessage, edit: Edit, codec: MessageCodec): Promise<Edited> {
  const headers = { ...message.headers, ...edit.headers };
  const decoded = await codec.decode({ ...message, headers });
  if (decoded.kind === 'decoded' && decoded.type === REQUEST_BATCH) return editBatch(message, edit);
  const base = basePayload({ ...message, headers }, decoded);
  if (base.kind === 'refused') return base;
  const { type, format, content } = base;
  const changed = edit.patches.reduce(mergePatch, content);
  const isSame = isDeepStrictEqual(changed, content) && Object.keys(edit.headers).length === 0;
  if (isSame) return refused(NO_CHANGE);
  const read = shapeOf(type)?.parse(changed);
  if (read === undefined) return refused(`${type} has no JSON form`);
  if (read.kind === 'invalid') return refused(`the edited payload is invalid: ${joinFaults(read.faults)}`);
  const faults = format === 'avro' ? codec.faultsOf(type, read.payload) : [];
  if (faults.length > 0) return refused(`the edited payload is invalid: ${joinFaults(faults)}`);
  const encoded = await codec.encode(type, read.payload, format);
  const warnings = read.warnings.map(({ code, path }) => `${code};${path}`);
  return { kind: 'edited', value: encoded.value, headers: { ...edit.headers, ...encoded.headers }, warnings };
}

type Base =
  | {
      readonly kind: 'base';
      readonly type: string;
      readonly format: MessageFormat;
      /** A value as JSON.parse returns it. */
      readonly content: unknown;
    }
  | Refused;

/** A patch cannot address one of several requests, so only the headers can be changed. */
function editBatch({ value }: LogMessage, { patches, headers }: Edit): Edited {
  if (patches.length > 0 || value === null)
    return refused(
      'it contains several requests, so only its headers can be edited; redrive it, and have its sender correct the invalid requests',
    );
  if (Object.keys(headers).length === 0) return refused(NO_CHANGE);
  return { kind: 'edited', value, headers, warnings: [] };
}

/** The payload to change: parsed JSON, or Avro rendered as JSON. */
function basePayload(message: LogMessage, decoded: Decoded): Base {
  if (decoded.format === 'json') return jsonBase(message);
  if (decoded.kind === 'undecodable')
    return refused('the payload cannot be decoded, so it cannot be edited; discard it');
  const { type, payload } = decoded;
  const shape = shapeOf(type);
  if (shape === undefined) return refused(`${type} has no JSON form`);
  try {
    const text = shape.render(payload);
    const content: unknown = JSON.parse(text);
    const again = shape.parse(content);
    // JSON numbers have fewer digits than Avro decimals; an edit must not change other fields.
    const isLossless = again.kind === 'valid' && shape.render(again.payload) === text;
    if (isLossless) return { kind: 'base', type, format: 'avro', content };
    return refused('the payload cannot be edited without loss');
  } catch (error) {
    return refused(`the payload cannot be edited: ${errorText(error)}`);
  }
}

function jsonBase({ value, headers }: LogMessage): Base {
  const type = headerText(headers, HEADER.messageType);
  if (type === undefined || shapeOf(type) === undefined) {
    return refused(
      `its header ${HEADER.messageType} names no known type; set it with --header ${HEADER.messageType}=TYPE`,
    );
  }
  try {
    const content: unknown = JSON.parse(value?.toString('utf8') ?? '');
    return { kind: 'base', type, format: 'json', content };
  } catch {
    return refused('the payload is not valid JSON, so it cannot be edited; discard it');
  }
}

function shapeOf(type: string) {
  return Object.hasOwn(MESSAGE_FORMS, type) ? MESSAGE_FORMS[type] : undefined;
}

function joinFaults(faults: readonly Fault[]): string {
  return faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function refused(why: string): Refused {
  return { kind: 'refused', why };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Applies a JSON merge patch (RFC 7396): merges objects, removes fields that are null, replaces other values. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

/**
 * The patch of `path.to.field=value`, with the value as JSON if it is valid JSON, otherwise as a string. Undefined for
 * other forms.
 */
export function patchOfSetting(setting: string): unknown {
  const match = /^([^=]+)=(.*)$/s.exec(setting);
  if (match === null) return undefined;
  const [, path = '', text = ''] = match;
  const names = path.split('.');
  if (names.some((name) => name === '')) return undefined;
  return names.reduceRight<unknown>((value, name) => Object.fromEntries([[name, value]]), valueOf(text));
}

/** The paths of the fields that a patch changes, such as `jsonParam.Amount`. */
export function changedFields(patch: unknown, path = ''): readonly string[] {
  if (!isObject(patch)) return path === '' ? [] : [path];
  const entries = Object.entries(patch);
  if (entries.length === 0 && path !== '') return [path];
  return entries.flatMap(([name, change]) => changedFields(change, path === '' ? name : `${path}.${name}`));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
