import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

const MAX_FILE_BYTES = 1_048_576;

/** What a file holds; `hash` tells whether that has changed. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'unreadable'; readonly hash: 'unreadable' };

/** Contents decide, not times: a swapped link may lead to a file that is older than the one before. */
export async function readFileText(file: string): Promise<FileText> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) return { kind: 'unreadable', hash: 'unreadable' };
    const text = await readFile(file, 'utf8');
    return { kind: 'text', text, hash: createHash('sha256').update(text).digest('hex') };
  } catch {
    return { kind: 'unreadable', hash: 'unreadable' };
  }
}

/** Runs one look at a time, `everyMs` after the one before. A look must not reject. */
export function startPolling(look: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = look().finally(schedule);
    }, everyMs);
    timer.unref();
  };
  schedule();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
