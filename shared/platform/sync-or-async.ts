export type SyncOrAsync<T> = T | Promise<T>;

export function isPromise<T>(value: SyncOrAsync<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Calls `step` with the value: at once if it is available, otherwise when its promise resolves. */
export function andThen<T, Next>(
  value: SyncOrAsync<T>,
  step: (value: T) => SyncOrAsync<Next>,
): SyncOrAsync<Next> {
  return isPromise(value) ? value.then(step) : step(value);
}
