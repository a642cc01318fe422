import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const REPLACEMENTS = new WeakSet<object>();

/** An internal module of kafkajs, which has no types: `path` is below `kafkajs/src`. */
export function kafkajsModule(path: string): unknown {
  return require(`kafkajs/src/${path}`);
}

/**
 * Replaces a method of the class that is the export of an internal module, for the whole process; a second call has no effect. The
 * replacement gets the object, and a function that calls the original with the same arguments.
 */
export function replaceMethod<Result>(
  path: string,
  name: string,
  replacement: (self: never, original: () => Result) => Result,
): void {
  const { prototype } = kafkajsModule(path) as { prototype: Record<string, (...args: unknown[]) => Result> };
  const original = prototype[name];
  if (original === undefined)
    throw new Error(`kafkajs has no ${name}: its version differs from package.json`);
  if (REPLACEMENTS.has(original)) return;
  const replaced = function replaced(this: unknown, ...args: unknown[]) {
    return replacement(this as never, () => original.apply(this, args));
  };
  REPLACEMENTS.add(replaced);
  prototype[name] = replaced;
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
