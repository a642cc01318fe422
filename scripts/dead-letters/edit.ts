/** Editing a message: what the command line asks for, and the changed copy, checked as its worker would check it. */

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

export interface Edit {
  /** JSON merge patches of the payload, in their order. */
  readonly patches: readonly unknown[];
  /** Headers that are set or, where undefined, removed. */
  readonly headers: MessageHeaders;
  /** What is changed, for the audit: paths and names, never values. */
  readonly members: readonly string[];
}

const HEADER_NAME = /^[\w.-]{1,100}$/;
/** Our headers that describe a message; the others are set by the workers and by this command only. */
const EDITABLE_HEADERS: ReadonlySet<string> = new Set([HEADER.messageType, HEADER.originTimestamp]);
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  Object.values(HEADER).filter((name) => name.startsWith('plat-') && !EDITABLE_HEADERS.has(name)),
);

/** Reads and checks the edit: the file's patch, then each --set, then the headers. Throws UsageError. */
export function readEdit({ set, patchFile, headers }: EditOptions): Edit {
  const patches = [
    ...(patchFile === undefined ? [] : [readPatch(patchFile)]),
    ...set.map((setting) => {
      const patch = patchOfSetting(setting);
      if (patch === undefined) throw new UsageError('--set is PATH=VALUE, such as receiver=+40722123456');
      return patch;
    }),
  ];
  for (const patch of patches) {
    if (!isObject(patch)) throw new UsageError('a patch is a JSON object');
    if (!Object.hasOwn(patch, 'notificationId')) continue;
    throw new UsageError('notificationId cannot be changed: it prevents duplicate messages');
  }
  const changes = headers.map(readHeader);
  const members = patches.flatMap((patch) => changedFields(patch));
  return {
    patches,
    headers: Object.fromEntries(changes),
    members: [...new Set([...members, ...changes.map(([name]) => `header ${name}`)])],
  };
}

function readHeader(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!HEADER_NAME.test(name)) {
    throw new UsageError(
      '--header is NAME=VALUE, such as kafka_replyTopic=bank.replies; without VALUE it is removed',
    );
  }
  if (RESERVED_HEADERS.has(name)) throw new UsageError(`the header ${name} is set by the workers only`);
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

/** The edited copy, as far as it differs from the letter's message. */
export type Edited =
  | {
      readonly kind: 'edited';
      readonly value: Buffer;
      /** Undefined ones are removed. */
      readonly headers: MessageHeaders;
      /** Ignored fields, as `code;path`. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Changes headers and payload and checks them as the worker would: by the shape of the message's type, with all faults at
 * once, and by its Avro schema where it is sent as Avro. The copy has the format of the letter. Refused JSON can be
 * corrected; unreadable bytes cannot. Rejects only with lost infrastructure (the schema registry).
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
  if (isSame) return refused('the edit changes nothing');
  const read = shapeOf(type)?.parse(changed);
  if (read === undefined) return refused(`${type} has no JSON form`);
  if (read.kind === 'invalid') return refused(`the edited payload is wrong: ${faultsText(read.faults)}`);
  const faults = format === 'avro' ? codec.faultsOf(type, read.payload) : [];
  if (faults.length > 0) return refused(`the edited payload is wrong: ${faultsText(faults)}`);
  const encoded = await codec.encode(type, read.payload, format);
  const warnings = read.warnings.map(({ code, path }) => `${code};${path}`);
  return { kind: 'edited', value: encoded.value, headers: { ...edit.headers, ...encoded.headers }, warnings };
}

type Base =
  | {
      readonly kind: 'base';
      readonly type: string;
      readonly format: MessageFormat;
      /** As of JSON.parse. */
      readonly content: unknown;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** A patch cannot address one request of many; its sender repeats that one when the others are answered. */
function editBatch({ value }: LogMessage, { patches, headers }: Edit): Edited {
  if (patches.length > 0 || value === null)
    return refused(
      'it holds several requests: only its headers can be edited; redrive it, and let its sender mend the wrong ones',
    );
  if (Object.keys(headers).length === 0) return refused('the edit changes nothing');
  return { kind: 'edited', value, headers, warnings: [] };
}

/** The payload to change: JSON as it is, Avro as its type is written in JSON. */
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
    // JSON holds fewer digits than Avro; an edit must not change other fields.
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
      `its header ${HEADER.messageType} names no known type; give it by --header ${HEADER.messageType}=TYPE`,
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

function faultsText(faults: readonly Fault[]): string {
  return faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function refused(why: string): { readonly kind: 'refused'; readonly why: string } {
  return { kind: 'refused', why };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The target with the patch applied: fields of objects are merged, null removes a field, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

/** The patch of `field.of.field=value`: the value as JSON where it is valid JSON, else as text. Undefined for another form. */
export function patchOfSetting(setting: string): unknown {
  const match = /^([^=]+)=(.*)$/s.exec(setting);
  if (match === null) return undefined;
  const [, path = '', text = ''] = match;
  const names = path.split('.');
  if (names.some((name) => name === '')) return undefined;
  return names.reduceRight<unknown>((value, name) => Object.fromEntries([[name, value]]), valueOf(text));
}

/** Paths of the fields that a patch changes, such as `jsonParam.Amount`. */
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
