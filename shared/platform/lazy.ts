/** Creates the value at the first call and keeps it. After an error the next call tries again. */
export function lazy<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
