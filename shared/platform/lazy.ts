/**
 * Creates a value when it is first needed, once; after an error the next call tries again. Compiled schemas take more time than the rest of
 * a start, and a process uses few of them.
 */
export function lazy<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
