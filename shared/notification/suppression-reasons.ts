/** A hard bounce and an operator stop all messages, the others only campaigns (N8). */
const STRONG = ['hard-bounce', 'operator'] as const;
export const SUPPRESSION_REASONS = [...STRONG, 'complaint', 'unsubscribe', 'stop'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** True if the reason stops transactional messages too. */
export function isStrong(reason: SuppressionReason | undefined): boolean {
  return STRONG.some((strong) => strong === reason);
}
