/** What a command did, or would do, with one letter. */
export interface LetterResult {
  readonly id: string;
  readonly code: string;
  readonly result:
    | 'redriven'
    | 'edited'
    | 'discarded'
    | 'would-redrive'
    | 'would-edit'
    | 'would-discard'
    | 'skipped'
    | 'refused'
    | 'failed';
  /** Where it was sent, or would be. */
  readonly to?: string;
  /** Why it was skipped or refused, or how it failed. */
  readonly why?: string;
  /** Edits: members of the payload that have no effect, as `code;path`. */
  readonly warnings?: readonly string[];
}

/** Whether an operator has to look at it. */
export function isTrouble({ result }: LetterResult): boolean {
  return result === 'refused' || result === 'failed';
}

/** For a person. */
export function resultLine({ id, code, result, to, why, warnings = [] }: LetterResult): string {
  const about = [to === undefined ? undefined : `to ${to}`, why, ...warnings].filter(
    (part) => part !== undefined,
  );
  return [result.replace('-', ' ').padEnd(13), id, code, about.join(': ')].join('  ').trimEnd();
}
