import { ConfigError } from '../platform/errors.ts';

export const RECEIPTS_PATH = '/api/notifications/v1/receipts';

/** The address to which a provider reports (N7). Throws ConfigError without the public address of the ingress. */
export function receiptAddress(publicUrl: string | undefined, provider: string): string {
  if (publicUrl === undefined) throw new ConfigError('receipts of Twilio need the setting PUBLIC_URL');
  return `${publicUrl}${RECEIPTS_PATH}/${encodeURIComponent(provider)}`;
}
