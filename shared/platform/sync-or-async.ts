/** A value that is available immediately or later. */
export type SyncOrAsync<T> = T | Promise<T>;

/** Whether the value is not available yet. */
export function isPromise<T>(value: SyncOrAsync<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Continues with the value when it is available: synchronously, without a promise, if it already is. */
export function andThen<T, Next>(
  value: SyncOrAsync<T>,
  step: (value: T) => SyncOrAsync<Next>,
): SyncOrAsync<Next> {
  return isPromise(value) ? value.then(step) : step(value);
}
