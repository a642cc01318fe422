import { errorText } from '../../shared/platform/errors.ts';
import { auditMessage, auditRecord } from './audit-record.ts';
import type { Letter } from './letter.ts';
import type { LetterResult } from './letter-result.ts';
import type { LetterStates } from './letter-states.ts';
import type { LetterWorld } from './letter-world.ts';
import { createProgress } from './progress.ts';

/** Records that are written at a time. */
const BATCH = 200;

/**
 * Marks letters as done with: a record of the audit each, nothing else. The letters themselves stay until their topic's
 * retention ends, since a log cannot forget single records.
 */
export async function discardLetters(
  world: LetterWorld,
  letters: readonly Letter[],
  states: LetterStates,
  { dryRun, again }: { readonly dryRun: boolean; readonly again: boolean },
): Promise<readonly LetterResult[]> {
  const results: LetterResult[] = [];
  const open: Letter[] = [];
  for (const letter of letters) {
    const { status } = states.of(letter.id);
    const isHandled = status === 'discarded' || (!again && (status === 'redriven' || status === 'edited'));
    if (!isHandled) open.push(letter);
    else results.push({ ...named(letter), result: 'skipped', why: `it was ${status} already` });
  }
  if (dryRun)
    return [...results, ...open.map((letter) => ({ ...named(letter), result: 'would-discard' }) as const)];
  const progress = createProgress(world.onProgress, open.length, 'letters discarded');
  for (let at = 0; at < open.length; at += BATCH) {
    const batch = open.slice(at, at + BATCH);
    results.push(...(await discardBatch(world, batch)));
    for (let done = 0; done < batch.length; done += 1) progress.step();
  }
  return results;
}

async function discardBatch(world: LetterWorld, letters: readonly Letter[]): Promise<LetterResult[]> {
  if (world.signal.aborted) {
    return letters.map((letter) => ({
      ...named(letter),
      result: 'failed',
      why: 'interrupted before it was begun',
    }));
  }
  const step = { action: 'discard', stage: 'done' } as const;
  const records = letters.map((letter) => auditRecord(letter, world.actor, step, world.clock.now()));
  try {
    await world.log.publish(records.map((record) => auditMessage(world.topics.audit, record)));
    return letters.map((letter) => ({ ...named(letter), result: 'discarded' }));
  } catch (error) {
    const why = `the audit could not be told: ${errorText(error)}`;
    return letters.map((letter) => ({ ...named(letter), result: 'failed', why }));
  }
}

function named({ id, code }: Letter): Pick<LetterResult, 'id' | 'code'> {
  return { id, code };
}
