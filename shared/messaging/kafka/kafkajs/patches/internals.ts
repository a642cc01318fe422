import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const REPLACEMENTS = new WeakSet<object>();

/** An internal module of kafkajs, which has no types: `path` is below `kafkajs/src`. */
export function kafkajsModule(path: string): unknown {
  return require(`kafkajs/src/${path}`);
}

/** The prototype of a class that is the export of an internal module. */
export function kafkajsPrototype(path: string): object {
  return (kafkajsModule(path) as { readonly prototype: object }).prototype;
}

type AnyFunction = (this: never, ...args: never[]) => unknown;

/**
 * Replaces a function of kafkajs for the whole process; the replacement gets the original as its first argument. A second call
 * has no effect. Throws when the function does not exist: the patches of this folder require the version of kafkajs in
 * package.json.
 */
export function replaceFunction<Name extends string, Owner extends Record<Name, AnyFunction>>(
  owner: Owner,
  name: Name,
  replacement: (
    this: ThisParameterType<Owner[Name]>,
    original: Owner[Name],
    ...args: Parameters<Owner[Name]>
  ) => ReturnType<Owner[Name]>,
): void {
  const original = owner[name];
  if (typeof original !== 'function') {
    throw new Error(`kafkajs has no function ${name}: its version differs from package.json`);
  }
  if (REPLACEMENTS.has(original)) return;
  const replaced = function replaced(this: ThisParameterType<Owner[Name]>, ...args: Parameters<Owner[Name]>) {
    return replacement.call(this, original, ...args);
  };
  REPLACEMENTS.add(replaced);
  owner[name] = replaced as unknown as Owner[Name];
}

/**
 * Replaces the export of a module of kafkajs; a second call has no effect. `users` matches the files of modules that refer to
 * the original: they are loaded again when they are next required.
 */
export function replaceExport<Exported extends object>(
  path: string,
  users: RegExp,
  replace: (original: Exported) => Exported,
): void {
  const original = kafkajsModule(path) as Exported;
  const loaded = require.cache[require.resolve(`kafkajs/src/${path}`)];
  if (loaded === undefined) throw new Error(`kafkajs/src/${path} cannot be replaced`);
  if (REPLACEMENTS.has(original)) return;
  const replacement = replace(original);
  REPLACEMENTS.add(replacement);
  loaded.exports = replacement;
  for (const file of Object.keys(require.cache)) if (users.test(file)) delete require.cache[file];
}
