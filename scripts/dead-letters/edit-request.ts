/** What an edit asks for, read from the command line. */

import { readFileSync } from 'node:fs';
import { HEADER } from '../../shared/messaging/header-names.ts';
import type { MessageHeaders } from '../../shared/messaging/message.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { type EditOptions, UsageError } from './command-arguments.ts';
import { changedMembers, isObject, patchOfSetting } from './merge-patch.ts';

export interface Edit {
  /** JSON merge patches of the payload, in their order. */
  readonly patches: readonly unknown[];
  /** Headers that are put or, where undefined, removed. */
  readonly headers: MessageHeaders;
  /** What is changed, for the audit: paths and names, never values. */
  readonly members: readonly string[];
}

const HEADER_NAME = /^[\w.-]{1,100}$/;
/** Headers of ours that say what a message is; the others are kept by the workers and by this command. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([HEADER.messageType, HEADER.originTimestamp]);
const KEPT_HEADERS: ReadonlySet<string> = new Set(
  Object.values(HEADER).filter((name) => name.startsWith('plat-') && !OPEN_HEADERS.has(name)),
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
    throw new UsageError('notificationId cannot be changed: it is by this that nothing is sent twice');
  }
  const changes = headers.map(readHeader);
  const members = patches.flatMap((patch) => changedMembers(patch));
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
  if (KEPT_HEADERS.has(name)) throw new UsageError(`the header ${name} is kept by the workers, not by hand`);
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
