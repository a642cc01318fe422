import { readFileSync } from 'node:fs';
import { createEdit, type Edit } from '../../shared/dead-letters/edit.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { parseJson, refusalText } from '../../shared/platform/json.ts';
import { UsageError } from '../command-line/parse-command-line.ts';
import type { EditOptions } from './arguments.ts';

/** Reads and validates the patch file, each --set and the headers. Throws UsageError. */
export function readEdit({ set, patchFile, headers }: EditOptions): Edit {
  const patches = [
    ...(patchFile === undefined ? [] : [readPatch(patchFile)]),
    ...set.map((setting) => {
      const patch = patchOfSetting(setting);
      if (patch !== undefined) return patch;
      throw new UsageError('--set must be PATH=VALUE, such as receiver=+40722123456');
    }),
  ];
  const edit = createEdit(patches, headers.map(readHeader));
  if ('faults' in edit) throw new UsageError(edit.faults.map(({ message }) => message).join('\n'));
  return edit;
}

function readHeader(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new UsageError(
      '--header must be NAME=VALUE, such as kafka_replyTopic=bank.replies; without VALUE it is removed',
    );
  }
  const value = text.slice(at + 1);
  return [text.slice(0, at), value === '' ? undefined : value];
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

function valueOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.kind === 'parsed' ? parsed.value : text;
}
