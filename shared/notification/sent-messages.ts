import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Channel } from './notification-command.ts';

export const KEPT_MESSAGES = 1_000;
/** The oldest messages are removed once per this many writes. Each removal reads about a thousand entries. */
const PRUNE_EVERY = 50;
/** No message is larger, because requests (E6) and commands are limited. */
const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;
/** No header is larger, even with the longest subject and addresses. */
const MAX_HEAD_BYTES = 64 * 1_024;

const FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(eml|txt)$/;
const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const CHANNELS: Readonly<Record<string, Channel>> = { eml: 'email', txt: 'sms' };

export type SentMessages = ReturnType<typeof openSentMessages>;
export interface SentMessage {
  readonly id: string;
  readonly channel: Channel;
  /** `message/rfc822` for e-mail, plain text for SMS. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** The local outbox: a file per recent message, which a repeated id overwrites. Only the process's user may read it. */
export function openSentMessages(folder: string) {
  let writesUntilPrune = 0;
  const create = (): Promise<unknown> => mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    /** Creates the folder. Rejects with a system error if it cannot be created or written to. */
    prepare: async (): Promise<void> => {
      await create();
      await access(folder, constants.W_OK);
    },
    /** Writes a message, replacing any with the same id. Rejects with TypeError if the id is not a lower-case UUID. */
    write: async (id: string, channel: Channel, content: Buffer): Promise<void> => {
      const name = `${id}.${channel === 'email' ? 'eml' : 'txt'}`;
      if (!FILE.test(name)) throw new TypeError('the id of an outbox message must be a UUID');
      await create();
      const flag = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
      await writeFile(path.join(folder, name), content, { flag, mode: 0o600 });
      const surplus = writesUntilPrune === 0 ? (await filesOf(folder)).slice(KEPT_MESSAGES) : [];
      for (const file of surplus) await rm(path.join(folder, file.name), { force: true });
      writesUntilPrune = (writesUntilPrune + 1) % PRUNE_EVERY;
    },
    /** Lists the newest messages first, at most `limit` and at most 1,000. A missing folder is an empty list. */
    list: async (limit: number) => {
      const newest = (await filesOf(folder)).slice(0, Math.min(limit, KEPT_MESSAGES));
      const items = [];
      for (const { name, ...file } of newest) {
        const head = await readStart(path.join(folder, name), MAX_HEAD_BYTES);
        if (head !== undefined) items.push({ ...file, ...(await readMessageHead(head)) });
      }
      return items;
    },
    read: async (id: string): Promise<SentMessage | undefined> => {
      for (const [ending, channel] of Object.entries(CHANNELS)) {
        const name = `${id}.${ending}`;
        const content = FILE.test(name)
          ? await readStart(path.join(folder, name), MAX_MESSAGE_BYTES)
          : undefined;
        const contentType = channel === 'email' ? 'message/rfc822' : 'text/plain; charset=utf-8';
        if (content !== undefined) return { id, channel, contentType, content };
      }
      return undefined;
    },
  };
}

async function filesOf(folder: string) {
  const names = await readdir(folder).catch((error: unknown) => ifMissing<string[]>(error, []));
  const files = await Promise.all(names.map((name) => look(folder, name)));
  return files
    .filter((file) => file !== undefined)
    .toSorted((a, b) => b.writtenAt - a.writtenAt || (a.id < b.id ? -1 : 1));
}

async function look(folder: string, name: string) {
  const [, id = '', ending = ''] = FILE.exec(name) ?? [];
  const channel = CHANNELS[ending];
  if (channel === undefined) return undefined;
  const found = await stat(path.join(folder, name)).catch((error: unknown) => ifMissing(error, undefined));
  return found && { name, id, channel, writtenAt: found.mtimeMs, sizeBytes: found.size };
}

/** Reads the first bytes of a file. Returns undefined if it does not exist or is a symbolic link. */
async function readStart(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, O_RDONLY | O_NOFOLLOW);
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    return ifMissing(error, undefined);
  }
}

function ifMissing<T>(error: unknown, otherwise: T): T {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ELOOP') return otherwise;
  throw error;
}

const END = /\r?\n\r?\n/;

/** Reads From, To and Subject from the first bytes of a message. Missing fields are empty. */
export async function readMessageHead(start: Buffer) {
  const { decodeWords, default: mail } = await import('postal-mime');
  const [head = ''] = start.toString('latin1').split(END, 1);
  const { headers } = await mail.parse(Buffer.from(head, 'latin1'));
  const value = (name: string): string => decodeWords(headers.find(({ key }) => key === name)?.value ?? '');
  return { sender: value('from'), receiver: value('to'), subject: value('subject') };
}
