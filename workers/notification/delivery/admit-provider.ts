import type { GuardedProvider } from '../../../shared/notification/provider.ts';

/** The first provider that may be asked now, or how long to wait for one. */
export type Turn =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'wait'; readonly afterMs: number; readonly why: 'rate-limited' | 'providers-open' };

/** Longest wait for a provider that is set aside: it may be replaced by configuration at any time. */
const MAX_OPEN_MS = 30_000;

/**
 * Takes a provider's turn, in the order of the configuration (N2): one that is set aside is passed over, one whose rate
 * limit is used up is waited for. `go` has taken one call from the allowance of the provider at `index`.
 */
export function takeTurn(providers: readonly GuardedProvider[]): Turn {
  let soonestMs = MAX_OPEN_MS;
  for (const [index, provider] of providers.entries()) {
    const admission = provider.admit();
    if (admission.kind === 'go') return { kind: 'go', index };
    if (admission.kind === 'wait') return { kind: 'wait', afterMs: admission.afterMs, why: 'rate-limited' };
    soonestMs = Math.min(soonestMs, admission.afterMs);
  }
  return { kind: 'wait', afterMs: soonestMs, why: 'providers-open' };
}
