/** A run ended before its time, for a reason that the report gives: no workers, a full disk, too many failures, a signal. */
export class RunError extends Error {
  override readonly name = 'RunError';
}
