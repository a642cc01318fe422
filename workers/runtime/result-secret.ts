import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, errorText } from '../../shared/platform/errors.ts';
import { lazy } from '../../shared/platform/lazy.ts';

const FILE = 'result-id-secret';
const SECRET_BYTES = 32;

/** Without access control every caller may read every result, so the secret does not need protection. */
const OPEN_SECRET = 'results of an instance without access control';
const ownSecret = lazy(createSecret);

/**
 * Chooses the secret for result ids and hashes of notifications, the same in all processes. Throws ConfigError if Kafka
 * is used with access control but RESULT_ID_SECRET is not set, or if the file of the secret cannot be used.
 */
export function chooseResultSecret(options: {
  readonly configured: string | undefined;
  readonly accessRequired: boolean;
  readonly brokerKind: 'embedded' | 'kafka';
  /** Undefined if nothing is kept across restarts. */
  readonly dataFolder: string | undefined;
}): string {
  if (options.configured !== undefined) return options.configured;
  // No other instance reads the messages of an embedded broker.
  if (options.brokerKind === 'embedded')
    return options.dataFolder === undefined ? ownSecret() : keptSecret(options.dataFolder);
  if (!options.accessRequired) return OPEN_SECRET;
  throw new ConfigError(
    'with access control on Kafka set RESULT_ID_SECRET, the same for all ingress instances',
  );
}

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64');
}

/** Reads the secret in the data folder; the first start creates it. Only the owner of the folder may call this. */
function keptSecret(folder: string): string {
  const file = path.join(folder, FILE);
  let secret: string;
  try {
    if (!existsSync(file)) {
      // The file is renamed when complete, so that it never has a part of a secret.
      const unfinished = path.join(folder, `.${FILE}`);
      rmSync(unfinished, { force: true });
      writeFileSync(unfinished, createSecret(), { mode: 0o600, flag: 'wx', flush: true });
      renameSync(unfinished, file);
    }
    secret = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read or written (${errorText(error)})`);
  }
  if (Buffer.from(secret, 'base64').length === SECRET_BYTES) return secret;
  throw new ConfigError(`${file} is damaged: restore it, or remove it to begin with a new secret`);
}
