import { homedir } from 'node:os';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Folder of fetched jars, outside the checkout: KAFKA_CACHE_DIR, else below XDG_CACHE_HOME, else below ~/.cache.
 */
export function cacheDirectory(env: Environment, home: string = homedir()): string {
  if (isSet(env['KAFKA_CACHE_DIR'])) return path.resolve(env['KAFKA_CACHE_DIR']);
  const base = isSet(env['XDG_CACHE_HOME']) ? env['XDG_CACHE_HOME'] : path.join(home, '.cache');
  return path.join(base, 'banking-product-engine');
}

/** The Java to run: that of JAVA_HOME, else the first on the PATH. */
export function javaCommand(env: Environment): string {
  return isSet(env['JAVA_HOME']) ? path.join(env['JAVA_HOME'], 'bin', 'java') : 'java';
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
