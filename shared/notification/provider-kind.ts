/** Which client a provider needs: `SMTP` and `twilio` have their own, every other name is a templated HTTP call (N1). */
export type ProviderKind = 'smtp' | 'twilio' | 'http';

/** The kind that a provider's name stands for, in any case. */
export function kindOfProvider(name: string): ProviderKind {
  const lower = name.toLowerCase();
  return lower === 'smtp' || lower === 'twilio' ? lower : 'http';
}
