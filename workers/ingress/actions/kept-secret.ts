import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { syncFound, systemIo } from '../../../shared/messaging/disk/disk-io.ts';
import { ConfigError, errorText } from '../../../shared/platform/errors.ts';

const FILE = 'result-id-secret';
const SECRET_BYTES = 32;
const MODE = 0o600;

export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The secret in the data folder, which lives as long as the messages there; the first start creates it. Only the process that has
 * the folder may call this. Throws ConfigError when the file cannot be read or written, or was changed.
 */
export function keptSecret(folder: string): string {
  const file = path.join(folder, FILE);
  let secret: string;
  try {
    if (!existsSync(file)) create(file);
    // A file that an earlier process left may be in the page cache only.
    syncFound(systemIo, file);
    secret = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read or written (${errorText(error)})`);
  }
  if (Buffer.from(secret, 'base64').length === SECRET_BYTES) return secret;
  throw new ConfigError(`${file} is damaged: restore it, or remove it to begin with a new secret`);
}

/** Never leaves a part of a secret, whenever the process ends. */
function create(file: string): void {
  const unfinished = path.join(path.dirname(file), `.${FILE}`);
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, createSecret(), { mode: MODE, flag: 'wx', flush: true });
  renameSync(unfinished, file);
}
