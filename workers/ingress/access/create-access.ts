import type { Clock } from '../../../shared/platform/clock.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { openAccess, type Access } from './access.ts';
import { createJwtAccess, type JwtSettings } from './jwt-access.ts';

/**
 * Access control as configured (E2): by JSON Web Token when a secret or key set is given. Without one everybody is let
 * in, with a warning, and only on a loopback address; on any other this throws ConfigError.
 */
export function createAccess(
  settings: JwtSettings & { readonly host: string },
  deps: { clock: Clock; log: Log },
): Access {
  const keys = settings.jwtSecret ?? settings.jwksUrl ?? settings.jwksFile;
  if (keys !== undefined) return createJwtAccess(settings, deps);
  if (!isLoopback(settings.host)) {
    throw new ConfigError(
      'without access control the ingress listens on a loopback address only: ' +
        'set AUTH_JWKS_URL, AUTH_JWKS_FILE or AUTH_JWT_SECRET, or HOST to 127.0.0.1',
    );
  }
  deps.log.warn('access control is off: every caller on this machine is let in');
  return openAccess;
}
