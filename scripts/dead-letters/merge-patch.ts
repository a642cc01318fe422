/** JSON merge patches (RFC 7396). */

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The target with the patch applied: members of objects are merged, null removes one, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

/** The patch of `member.of.member=value`: the value as JSON where it is some, else as text. Undefined for another form. */
export function patchOfSetting(setting: string): unknown {
  const match = /^([^=]+)=(.*)$/s.exec(setting);
  if (match === null) return undefined;
  const [, path = '', text = ''] = match;
  const names = path.split('.');
  if (names.some((name) => name === '')) return undefined;
  return names.reduceRight<unknown>((value, name) => Object.fromEntries([[name, value]]), valueOf(text));
}

/** Paths of the members that a patch changes, such as `jsonParam.Amount`. */
export function changedMembers(patch: unknown, path = ''): readonly string[] {
  if (!isObject(patch)) return path === '' ? [] : [path];
  const entries = Object.entries(patch);
  if (entries.length === 0 && path !== '') return [path];
  return entries.flatMap(([name, change]) => changedMembers(change, path === '' ? name : `${path}.${name}`));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
