import { isHandled } from './audit.ts';
import { discardLetters, type LetterResult, sendLetters, type Sending } from './letter-actions.ts';
import type { LetterContext } from './letter-context.ts';
import { type Letter, sanitise } from './letter.ts';
import type { Scan } from './scan-letters.ts';
import type { Selection } from './selection.ts';

/** The letters on which an action works: the oldest `limit` of the selected ones. */
export interface Chosen {
  readonly selection: Pick<Selection, 'ids'>;
  readonly limit: number | undefined;
}

/** What an action did. */
export interface ActionSummary {
  /** The results, without the skipped ones beyond the first hundred. */
  readonly results: readonly LetterResult[];
  /** The number of letters by result, with those that are not listed. */
  readonly counts: Readonly<Record<string, number>>;
  /** How many skipped ones are not listed. */
  readonly notListed: number;
}

/** A selection by filter may contain thousands of letters that were handled before. */
const MAX_LISTED_SKIPPED = 100;

/**
 * Sends the selected letters again, the oldest first. Those that have been handled are skipped without `again`; ids without a
 * letter are reported as failed.
 */
export async function sendSelected(
  context: LetterContext,
  scan: Scan,
  { selection, limit }: Chosen,
  sending: Sending,
): Promise<ActionSummary> {
  const { states } = scan;
  const isSkipped = ({ id }: Letter): boolean => !sending.options.again && isHandled(states.of(id));
  const skipped = scan.letters.filter(isSkipped).map(({ id, code }): LetterResult => ({
    id,
    code,
    result: 'skipped',
    why: `it has already been ${states.of(id).status}`,
    override: 'again',
  }));
  const open = oldestFirst(scan.letters.filter((letter) => !isSkipped(letter))).slice(0, limit);
  const results = await sendLetters(context, open, states, sending);
  return summarise([...skipped, ...results, ...findMissing(selection, scan)]);
}

/** Marks the selected letters as discarded; for skipped and missing ones see `sendSelected`. */
export async function discardSelected(
  context: LetterContext,
  scan: Scan,
  { selection, limit }: Chosen,
  options: { readonly dryRun: boolean; readonly again: boolean },
): Promise<ActionSummary> {
  const letters = oldestFirst(scan.letters);
  const results = await discardLetters(context, letters, scan.states, { ...options, limit });
  return summarise([...results, ...findMissing(selection, scan)]);
}

function summarise(all: readonly LetterResult[]): ActionSummary {
  let skipped = 0;
  const results = all.filter(({ result }) => {
    if (result !== 'skipped') return true;
    skipped += 1;
    return skipped <= MAX_LISTED_SKIPPED;
  });
  return { results, counts: countResults(all), notListed: all.length - results.length };
}

/** The letters that still need an action, or all of them, newest first. */
export function visibleLetters({ letters, states }: Scan, includesHandled: boolean): readonly Letter[] {
  return newestFirst(letters.filter(({ id }) => includesHandled || !isHandled(states.of(id))));
}

/** Ours and those of common mail servers are fewer. */
const MAX_CODES = 100;

/** The number of letters by code, the most frequent first; those of rare codes beyond the first hundred together as `*`. */
export function countByCode(letters: readonly Letter[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { code } of letters) counts.set(sanitise(code), (counts.get(sanitise(code)) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const rare = sorted.slice(MAX_CODES).reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([...sorted.slice(0, MAX_CODES), ...(rare > 0 ? [['*', rare] as const] : [])]);
}

function countResults(results: readonly LetterResult[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { result } of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function newestFirst(letters: readonly Letter[]): readonly Letter[] {
  return letters.toSorted((one, other) => compareAge(other, one));
}

function oldestFirst(letters: readonly Letter[]): readonly Letter[] {
  return letters.toSorted(compareAge);
}

/** By time, then by place, so that each scan has the same order, whichever partition it reads first. */
function compareAge(one: Letter, other: Letter): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  if (one.offset !== other.offset) return one.offset - other.offset;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

/** The selected ids without a letter, or whose letter other criteria exclude. */
function findMissing({ ids }: Pick<Selection, 'ids'>, { letters, prefix }: Scan): LetterResult[] {
  const known = new Set(letters.flatMap(({ id, notificationId }) => [id, notificationId?.toLowerCase()]));
  return ids
    .filter((id) => !known.has(id) && !known.has(prefix + id) && !known.has(id.toLowerCase()))
    .map((id) => ({
      id: sanitise(id),
      code: '-',
      result: 'failed',
      why: 'no letter with this id matches the selection',
    }));
}
