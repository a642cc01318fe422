import { readFileSync } from 'node:fs';
import { isRecord } from '../../shared/contract/json/faults.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { parseJson, refusalText } from '../../shared/platform/json.ts';
import { UsageError } from '../command-line/parse-command-line.ts';
import type { DeadLettersArguments } from './arguments.ts';

/** The changes of an edit, from the patch file and then each --set, and the headers. Throws UsageError. */
export function readEdit({ set, patch, header }: Pick<DeadLettersArguments, 'set' | 'patch' | 'header'>) {
  const patches = [...(patch === undefined ? [] : [readPatch(patch)]), ...set.map(patchOfSetting)];
  return {
    ...(patches.length === 0 ? {} : { patch: patches.reduce(combine) }),
    headers: Object.fromEntries(header.map(readHeader)),
  };
}

/** The patch that does what both do, one after the other (RFC 7396). */
function combine(first: unknown, second: unknown): unknown {
  if (!isRecord(first) || !isRecord(second)) return second;
  const changed = Object.entries(second).map(([name, value]) => [name, combine(first[name], value)]);
  return { ...first, ...Object.fromEntries(changed) };
}

function readHeader(text: string): [string, string | null] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new UsageError(
      '--header must be NAME=VALUE, such as kafka_replyTopic=bank.replies; without VALUE it is removed',
    );
  }
  const value = text.slice(at + 1);
  return [text.slice(0, at), value === '' ? null : value];
}

function readPatch(file: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`--patch ${file} cannot be read: ${errorText(error)}`);
  }
  const parsed = parseJson(bytes);
  if (parsed.kind === 'parsed') return parsed.value;
  throw new UsageError(refusalText(parsed, `--patch ${file}`));
}

/** The patch of `path.to.field=value`, with the value as JSON if it is valid JSON, otherwise as a string. */
function patchOfSetting(setting: string): unknown {
  const [, path = '', text = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
  const names = path.split('.');
  if (names.includes('')) throw new UsageError('--set must be PATH=VALUE, such as receiver=+40722123456');
  return names.reduceRight<unknown>((value, name) => Object.fromEntries([[name, value]]), valueOf(text));
}

function valueOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.kind === 'parsed' ? parsed.value : text;
}
