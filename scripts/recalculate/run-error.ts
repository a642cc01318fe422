/** The reason of an aborted run, which the report contains: no workers, a full disk, too many failures, a signal. */
export class RunError extends Error {
  override readonly name = 'RunError';
}
