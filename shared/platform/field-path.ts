/** Paths of fields as faults name them, such as `jsonParam.Commission[0].SourceValue`. */

/** The path of a field below `path`; `''` is the whole value. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Writes the path of a field as `jsonParam.Commission[0].SourceValue`; empty for the whole value. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let joined = '';
  for (const key of path) {
    joined = typeof key === 'number' ? `${joined}[${key}]` : joinPath(joined, String(key));
  }
  return joined;
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
