import { createHmac } from 'node:crypto';
import { countryOfNumber } from '../contract/notification/phone-number.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import { keyFor } from '../notification/command-proof.ts';
import { countSmsParts } from '../notification/sms-parts.ts';
import type { Channel, EmailCommand, Priority, SmsCommand } from '../notification/command.ts';
import type { QuotaSettings } from '../platform/load-config.ts';
import { UNKNOWN_COUNTRY, type Usage } from './daily-quotas.ts';
import { RECEIVER_HASH_BYTES } from './receiver-counts.ts';

/** A message to be counted. */
export interface CountedMessage {
  /** Hash of the caller, or UPSTREAM. */
  readonly caller: string;
  readonly channel: Channel;
  readonly priority: Priority;
  readonly command: SmsCommand | EmailCommand;
}

/** The caller of all commands that upstream systems write themselves. */
export const UPSTREAM = 'upstream';

/** Without a configured secret all processes use this one; the configuration requires a secret where hashes are shared. */
const DEFAULT_SECRET = 'banking-product-engine';

/** Calculates what a message uses on a day. */
export type MeasureUsage = (message: CountedMessage, day: number) => Usage;

/**
 * A cost is that of one part of an SMS and of one receiver of an e-mail, as providers charge them. `secret` keys the hashes of
 * receivers, which also contain the day: those of different days cannot be linked. Receivers are hashed only if there is a
 * quota for them.
 */
export function createUsageMeasure(settings: QuotaSettings, secret: string = DEFAULT_SECRET): MeasureUsage {
  const { perReceiver, costMicros } = settings;
  const key = keyFor(secret, 'plat notification quota');
  const hash = (channel: Channel, day: number, receiver: string): Buffer =>
    createHmac('sha256', key)
      .update(`${day}\n${channel}\n${receiver.toLowerCase()}`)
      .digest()
      .subarray(0, RECEIVER_HASH_BYTES);
  return ({ caller, channel, priority, command }, day) => {
    const copies = 'cc' in command ? [...command.cc, ...command.bcc] : [];
    const all = [command.receiver, ...copies];
    const receivers = perReceiver === undefined ? [] : all;
    const country = channel === 'sms' ? (countryOfNumber(command.receiver) ?? UNKNOWN_COUNTRY) : undefined;
    return {
      caller,
      isUrgent: priority === 'urgent',
      receivers: receivers.map((receiver) => hash(channel, day, receiver)),
      country,
      costMicros:
        country === undefined
          ? (costMicros.get('email') ?? 0) * all.length
          : (costMicros.get(`sms:${country}`) ?? costMicros.get('sms:*') ?? 0) *
            countSmsParts(command.message),
    };
  };
}

/** The record of a counted message, as JSON. */
interface UsageValue {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly caller: string;
  readonly urgent: boolean;
  readonly receivers: readonly string[];
  readonly country?: string;
  readonly costMicros: number;
}

export function usageRecord(
  topic: string,
  id: string,
  { day, usage }: { readonly day: number; readonly usage: Usage },
): OutgoingMessage {
  const { caller, isUrgent, receivers, country, costMicros } = usage;
  const value: UsageValue = {
    day,
    caller,
    urgent: isUrgent,
    receivers: receivers.map((hash) => hash.toString('base64url')),
    ...(country === undefined ? {} : { country }),
    costMicros,
  };
  return { topic, key: id, value: Buffer.from(JSON.stringify(value)) };
}

/** Reads a record; undefined if it is none. */
export function readUsageRecord({
  key,
  value,
}: Pick<LogMessage, 'key' | 'value'>):
  | { readonly id: string; readonly day: number; readonly usage: Usage }
  | undefined {
  if (key === null || value === null) return undefined;
  let read: Partial<UsageValue> | null;
  try {
    read = JSON.parse(value.toString()) as Partial<UsageValue> | null;
  } catch {
    return undefined;
  }
  const { day, caller, urgent, receivers, country, costMicros } = read ?? {};
  if (!Number.isSafeInteger(day) || !Number.isSafeInteger(costMicros) || !Array.isArray(receivers))
    return undefined;
  const hashes = receivers.map((text) => Buffer.from(String(text), 'base64url'));
  if (typeof caller !== 'string' || hashes.some(({ length }) => length !== RECEIVER_HASH_BYTES))
    return undefined;
  const usage = {
    caller,
    isUrgent: urgent === true,
    receivers: hashes,
    country: typeof country === 'string' ? country : undefined,
    costMicros: costMicros ?? 0,
  };
  return { id: key.toString(), day: day ?? 0, usage };
}
