/** Marks the place after the last case of a union: reaching it means that a case was forgotten, which is a bug. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`);
}
