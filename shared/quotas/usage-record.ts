import { jsonOf } from '../platform/json-pointer.ts';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { countryOfNumber } from '../api/notification/phone-number.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import { keyFor } from '../notification/command-proof.ts';
import type { Channel, EmailCommand, SmsCommand } from '../notification/notification-command.ts';
import type { QuotaSettings } from '../platform/load-config.ts';

/** What one message uses of the quotas. It contains no personal data. */
export interface Usage {
  /** Hash of the caller, or {@link UPSTREAM} for all upstream systems together. */
  readonly caller: string;
  /** Hashes of receivers, cc and bcc, which differ from day to day. Empty without a quota for receivers. */
  readonly receivers: readonly string[];
  /** ISO 3166 code of the number of an SMS, or ZZ if it has no country. Undefined for e-mail. */
  readonly country: string | undefined;
}

/** Stands for numbers without a country, such as those of satellite networks. */
const UNKNOWN_COUNTRY = 'ZZ';

export interface CountedMessage {
  readonly caller: string;
  readonly channel: Channel;
  readonly command: SmsCommand | EmailCommand;
}

export const UPSTREAM = 'upstream';

/** For hashes without a configured secret. The configuration requires a secret if processes share hashes. */
const DEFAULT_SECRET = 'banking-product-engine';
/** The chance that any two of ten million receivers share a hash of this length is below 10^-14. */
const HASH_BYTES = 12;
const HASH = /^[\w-]{16}$/;

/** Hashes of receivers depend on the UTC day, so that the messages of different days cannot be linked. */
export function createUsageMeasure({ perReceiver }: QuotaSettings, secret: string = DEFAULT_SECRET) {
  const key = keyFor(secret, 'plat notification quota');
  const hash = (channel: Channel, day: number, receiver: string): string =>
    createHmac('sha256', key)
      .update(`${day}\n${channel}\n${receiver.toLowerCase()}`)
      .digest()
      .toString('base64url', 0, HASH_BYTES);
  return ({ caller, channel, command }: CountedMessage, day: number): Usage => {
    const copies = 'cc' in command ? [...command.cc, ...command.bcc] : [];
    const receivers = perReceiver === undefined ? [] : [command.receiver, ...copies];
    return {
      caller,
      receivers: receivers.map((receiver) => hash(channel, day, receiver)),
      country: channel === 'sms' ? (countryOfNumber(command.receiver) ?? UNKNOWN_COUNTRY) : undefined,
    };
  };
}

const usageValue = z.object({
  /** Days since 1970-01-01, UTC. */
  day: z.int(),
  caller: z.string(),
  receivers: z.array(z.string().regex(HASH)),
  country: z.string().optional().catch(undefined),
});

export function usageRecord(
  topic: string,
  id: string,
  { day, usage: { caller, receivers, country } }: { readonly day: number; readonly usage: Usage },
): OutgoingMessage {
  return { topic, key: id, value: Buffer.from(JSON.stringify({ day, caller, receivers, country })) };
}

/** Returns undefined for an unreadable record. */
export function readUsageRecord({ key, value }: Pick<LogMessage, 'key' | 'value'>) {
  const { data } = usageValue.safeParse(jsonOf(value?.toString() ?? ''));
  if (key === null || data === undefined) return undefined;
  const { day, caller, receivers, country } = data;
  return { id: key.toString(), day, usage: { caller, receivers, country } };
}
