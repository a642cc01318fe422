/** What a round may take beyond its sends: intent, reading back, waiting for a rate limit. */
const LEASE_MARGIN_MS = 5_000;
/** More providers of a channel are unheard of. */
const MANY_PROVIDERS = 10;

/** For how long a round of so many providers may be under way, in milliseconds; where it is not known how many, of many. */
export function leaseMs(providers: number | undefined, sendTimeoutMs: number): number {
  return (providers ?? MANY_PROVIDERS) * sendTimeoutMs + LEASE_MARGIN_MS;
}
