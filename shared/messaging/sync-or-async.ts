/** A value that is there already, or comes later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether the value still has to come. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}
