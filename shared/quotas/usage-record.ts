import { createHmac } from 'node:crypto';
import { countryOfNumber } from '../contract/notification/phone-number.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import { keyFor } from '../notification/command-proof.ts';
import type { Channel, EmailCommand, SmsCommand } from '../notification/command.ts';
import type { QuotaSettings } from '../platform/load-config.ts';
import { UNKNOWN_COUNTRY, type Usage } from './daily-quotas.ts';

/** A message to be counted. */
export interface CountedMessage {
  /** Hash of the caller, or UPSTREAM. */
  readonly caller: string;
  readonly channel: Channel;
  readonly command: SmsCommand | EmailCommand;
}

/** The caller of all commands that upstream systems write themselves. */
export const UPSTREAM = 'upstream';

/** Without a configured secret all processes use this one; the configuration requires a secret where hashes are shared. */
const DEFAULT_SECRET = 'banking-product-engine';
/** Two of ten million receivers share a hash of this length with a chance below 10^-14. */
const HASH_BYTES = 12;
const HASH = /^[\w-]{16}$/;

/** Calculates what a message uses on a day. */
export type MeasureUsage = (message: CountedMessage, day: number) => Usage;

/**
 * `secret` keys the hashes of receivers, which also contain the day: those of different days cannot be linked. Receivers are
 * hashed only if there is a quota for them.
 */
export function createUsageMeasure(settings: QuotaSettings, secret: string = DEFAULT_SECRET): MeasureUsage {
  const { perReceiver } = settings;
  const key = keyFor(secret, 'plat notification quota');
  const hash = (channel: Channel, day: number, receiver: string): string =>
    createHmac('sha256', key)
      .update(`${day}\n${channel}\n${receiver.toLowerCase()}`)
      .digest()
      .toString('base64url', 0, HASH_BYTES);
  return ({ caller, channel, command }, day) => {
    const copies = 'cc' in command ? [...command.cc, ...command.bcc] : [];
    const receivers = perReceiver === undefined ? [] : [command.receiver, ...copies];
    return {
      caller,
      receivers: receivers.map((receiver) => hash(channel, day, receiver)),
      country: channel === 'sms' ? (countryOfNumber(command.receiver) ?? UNKNOWN_COUNTRY) : undefined,
    };
  };
}

/** The record of a counted message, as JSON. */
interface UsageValue {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly caller: string;
  readonly receivers: readonly string[];
  readonly country?: string;
}

export function usageRecord(
  topic: string,
  id: string,
  { day, usage }: { readonly day: number; readonly usage: Usage },
): OutgoingMessage {
  const { caller, receivers, country } = usage;
  const value: UsageValue = {
    day,
    caller,
    receivers,
    ...(country === undefined ? {} : { country }),
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
  const { day, caller, receivers, country } = read ?? {};
  if (!Number.isSafeInteger(day) || !Array.isArray(receivers)) return undefined;
  if (typeof caller !== 'string' || !receivers.every((hash) => HASH.test(hash))) return undefined;
  const usage = {
    caller,
    receivers,
    country: typeof country === 'string' ? country : undefined,
  };
  return { id: key.toString(), day: day ?? 0, usage };
}
