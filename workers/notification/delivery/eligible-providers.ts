import type { AttemptRecord } from '../../../shared/notification/notification-state.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { isUnknown } from '../state/attempt-history.ts';

type Known = Pick<GuardedProvider, 'name' | 'identity' | 'isIdempotent'>;

/** What a later round has to find unchanged to ask a provider again whose outcome is unknown; undefined: it must not. */
export function repeatableBy({ name, identity, isIdempotent }: Known): string | undefined {
  return isIdempotent ? (identity ?? name) : undefined;
}

/**
 * The providers that may get a notification now. Pure. After a try of unknown outcome only the provider that had it may,
 * with the settings that it had, since it alone knows the id again and does not deliver twice; unless `acceptsTwice`: the
 * policy or an operator has it so.
 */
export function eligibleProviders<P extends Known>(
  providers: readonly P[],
  history: readonly AttemptRecord[],
  acceptsTwice: boolean,
): readonly P[] {
  const unknown = history.filter(isUnknown);
  if (acceptsTwice || unknown.length === 0) return providers;
  return providers.filter((provider) => {
    const by = repeatableBy(provider);
    return by !== undefined && unknown.every((attempt) => attempt.repeatableBy === by);
  });
}
