import { createHash } from 'node:crypto';

const HASH_DIGITS = 8;
const TIME_WIDTH = 11;
const WHO_WIDTH = 14;
const SECOND_MS = 1_000;
export const FAULTS = 'cluster';

export interface JournalEntry {
  readonly atMs: number;
  readonly who: string;
  readonly text: string;
  readonly ids: readonly string[];
}

export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  note(who: string, text: string, ...ids: readonly string[]): void {
    this.entries.push({ atMs: this.#elapsedMs(), who, text, ids });
  }

  excerpt(ids: readonly string[], endMs: number, count: number): readonly JournalEntry[] {
    const before = this.entries.filter(({ atMs }) => atMs <= endMs);
    const from = Math.max(0, before.length - count);
    const related = connectedIds(before, ids);
    return before.filter(
      ({ who, ids: own }, index) => index >= from || who === FAULTS || own.some((id) => related.has(id)),
    );
  }
}

function connectedIds(entries: readonly JournalEntry[], ids: readonly string[]): ReadonlySet<string> {
  const related = new Set(ids);
  for (const entry of entries) {
    if (entry.ids.some((id) => ids.includes(id))) for (const id of entry.ids) related.add(id);
  }
  return related;
}

export function formatEntry({ atMs, who, text, ids }: JournalEntry): string {
  const time = (atMs / SECOND_MS).toFixed(6).padStart(TIME_WIDTH);
  const about = ids.length === 0 ? '' : ` [${ids.join(' ')}]`;
  return `${time} ${who.padEnd(WHO_WIDTH)} ${text}${about}`;
}

export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS);
}
