import { randomBytes } from 'node:crypto';
import { ConfigError } from '../../../shared/platform/errors.ts';

/** Signs nothing that is worth guarding: with access control off everybody may read every result. */
const OPEN_SECRET = 'results of an instance without access control';
const RANDOM_BYTES = 32;

/**
 * The secret that result ids are signed with. All instances of a cluster need the same one; it has to be configured
 * (RESULT_ID_SECRET) where callers are told apart and results outlive the process, else ConfigError.
 */
export function resultSecret(options: {
  readonly configured: string | undefined;
  readonly accessRequired: boolean;
  readonly brokerKind: 'embedded' | 'kafka';
}): string {
  if (options.configured !== undefined) return options.configured;
  if (!options.accessRequired) return OPEN_SECRET;
  // The embedded broker's results end with this process, and no other instance sees them.
  if (options.brokerKind === 'embedded') return randomBytes(RANDOM_BYTES).toString('base64');
  throw new ConfigError(
    'with access control on Kafka set RESULT_ID_SECRET, the same for all ingress instances',
  );
}
