import type { AuditRecord } from './audit-record.ts';
import { placeId } from './letter.ts';

/**
 * What became of a dead letter by the audit. `redrive-begun` and `edit-begun`: the command ended before it said that it
 * was sent again; it may have been.
 */
export type LetterStatus = 'open' | 'redrive-begun' | 'edit-begun' | 'redriven' | 'edited' | 'discarded';

export interface LetterState {
  readonly status: LetterStatus;
  /** How often it was surely sent again. */
  readonly sentAgain: number;
  /** What it was before the send that has begun; `status` where none has. */
  readonly before: LetterStatus;
}

const OPEN: LetterState = { status: 'open', sentAgain: 0, before: 'open' };

/** The states of letters, from the records of the audit in their order. */
export class LetterStates {
  readonly #states = new Map<string, LetterState>();

  add(record: AuditRecord): void {
    const id = placeId(record.letter);
    this.#states.set(id, next(this.of(id), record));
  }

  of(id: string): LetterState {
    return this.#states.get(id) ?? OPEN;
  }
}

/** Whether nothing more is to be done with a letter of this status. */
export function isHandled({ status }: LetterState): boolean {
  return status === 'redriven' || status === 'edited' || status === 'discarded';
}

function next({ before, sentAgain }: LetterState, { action, stage }: AuditRecord): LetterState {
  const now = (status: LetterStatus, sent = sentAgain): LetterState => ({
    status,
    sentAgain: sent,
    before: status,
  });
  if (stage === 'failed') return now(before);
  if (action === 'discard') return now('discarded');
  const isEdit = action === 'edit';
  if (stage === 'begun') return { status: isEdit ? 'edit-begun' : 'redrive-begun', sentAgain, before };
  return now(isEdit ? 'edited' : 'redriven', sentAgain + 1);
}
