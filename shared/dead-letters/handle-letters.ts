import { isHandled } from './audit.ts';
import type { ActionReply } from '../contract/operations/dead-letter-calls.ts';
import { discardLetters, type LetterResult, resultsOf, sendLetters, type Sending } from './letter-actions.ts';
import type { SendOptions } from './redrive-rules.ts';
import type { LetterContext } from './letter-context.ts';
import { type Letter, sanitise } from './letter.ts';
import type { Scan } from './scan-letters.ts';
import type { Selection } from './selection.ts';

/** The letters on which an action works: the oldest `limit` of the selected ones. */
export interface Chosen {
  readonly selection: Pick<Selection, 'ids'>;
  readonly limit: number | undefined;
}

/** What an action did; skipped letters beyond the first hundred are counted but not listed. */
export type ActionSummary = Pick<ActionReply, 'letters' | 'counts' | 'notListed'>;

/** What is done with the selected letters. */
export interface Acting extends Omit<Sending, 'action' | 'options'> {
  readonly action: Sending['action'] | 'discard';
  readonly options: SendOptions;
}

/** A selection by filter may contain thousands of letters that were handled before. */
const MAX_LISTED_SKIPPED = 100;

/**
 * Acts on the selected letters, the oldest first. Those that have been handled are skipped without `again`; ids without a letter are
 * reported as failed.
 */
export async function actOnSelected(
  context: LetterContext,
  scan: Scan,
  { selection, limit }: Chosen,
  { action, ...acting }: Acting,
): Promise<ActionSummary> {
  const { states } = scan;
  const isSkipped = ({ id }: Letter): boolean => !acting.options.again && isHandled(states.of(id));
  const skipped = scan.letters.filter(isSkipped).flatMap((letter) => {
    const why = `it has already been ${states.of(letter.id).status}`;
    return resultsOf([letter], { result: 'skipped', why, override: 'again' });
  });
  const open = scan.letters
    .filter((letter) => !isSkipped(letter))
    .toSorted(compareAge)
    .slice(0, limit);
  const results =
    action === 'discard'
      ? await discardLetters(context, open, acting.options.dryRun)
      : await sendLetters(context, open, states, { action, ...acting });
  const listed = [...skipped.slice(0, MAX_LISTED_SKIPPED), ...results, ...findMissing(selection, scan)];
  const notListed = Math.max(0, skipped.length - MAX_LISTED_SKIPPED);
  const counts = countNames([...listed, ...skipped.slice(MAX_LISTED_SKIPPED)].map(({ result }) => result));
  return { letters: listed, counts: Object.fromEntries(counts), notListed };
}

/** The letters that still need an action, or all of them, newest first. */
export function visibleLetters({ letters, states }: Scan, includesHandled: boolean): readonly Letter[] {
  return letters
    .filter(({ id }) => includesHandled || !isHandled(states.of(id)))
    .toSorted((one, other) => compareAge(other, one));
}

/** Ours and those of common mail servers are fewer. */
const MAX_CODES = 100;

/** The number of letters by code, the most frequent first; those of rare codes beyond the first hundred together as `*`. */
export function countByCode(letters: readonly Letter[]): Readonly<Record<string, number>> {
  const sorted = [...countNames(letters.map(({ code }) => sanitise(code)))].toSorted(
    ([, one], [, other]) => other - one,
  );
  const rare = sorted.slice(MAX_CODES).reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([...sorted.slice(0, MAX_CODES), ...(rare > 0 ? [['*', rare] as const] : [])]);
}

function countNames(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
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
