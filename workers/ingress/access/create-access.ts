import type { Clock } from '../../../shared/platform/system-ports.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { openAccess, type Access } from './access.ts';
import type { JwtSettings } from './jwt-access.ts';

/** With no keys set (E2), admits every caller with a warning, or rejects with ConfigError unless `host` is loopback. */
export async function createAccess(
  settings: JwtSettings & { readonly host: string },
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<Access> {
  const keys = settings.jwtSecret ?? settings.jwksUrl;
  if (keys !== undefined) {
    const { createJwtAccess } = await import('./jwt-access.ts');
    return createJwtAccess(settings, deps);
  }
  if (!isLoopback(settings.host)) {
    throw new ConfigError(
      'without access control the ingress listens on a loopback address only: ' +
        'set AUTH_JWKS_URL or AUTH_JWT_SECRET, or HOST to 127.0.0.1',
    );
  }
  deps.log.warn('access control is off: every caller on this machine is admitted');
  return openAccess;
}
