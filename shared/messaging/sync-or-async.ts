/** A value that is available at once, or later. */
export type SyncOrAsync<T> = T | Promise<T>;

/** Whether the value is not available yet. */
export function isPromise<T>(value: SyncOrAsync<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Continues with the value as soon as it is available: synchronously where it already is, without a promise. */
export function andThen<T, Next>(
  value: SyncOrAsync<T>,
  step: (value: T) => SyncOrAsync<Next>,
): SyncOrAsync<Next> {
  return isPromise(value) ? value.then(step) : step(value);
}
