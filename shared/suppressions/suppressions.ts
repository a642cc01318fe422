/** Addresses that get no messages (N8). Every process follows their topic, which has keyed hashes and no address. */

import { z } from 'zod';
import { HEADER } from '../messaging/headers.ts';
import { CONTENT_TYPE } from '../messaging/codec/message-codec.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import type { Broker } from '../messaging/ports.ts';
import { IndexedTail } from '../messaging/record-index/indexed-tail.ts';
import { openIndex, RecordIndex } from '../messaging/record-index/record-index.ts';
import { topicName } from '../messaging/topics/topic-list.ts';
import type { Channel, EmailCommand, SmsCommand } from '../notification/notification-command.ts';
import { isStrong, SUPPRESSION_REASONS } from '../notification/suppression-reasons.ts';
import { InfrastructureError } from '../platform/errors.ts';
import type { Config } from '../platform/load-config.ts';
import type { Log } from '../platform/log.ts';
import type { Fault } from '../platform/problem.ts';
import type { SystemPorts } from '../platform/system-ports.ts';
import { createSuppressionKeys, UNSUBSCRIBE_PATH } from './suppression-keys.ts';

const suppressionValue = z.object({
  channel: z.enum(['sms', 'email']),
  reason: z.enum(SUPPRESSION_REASONS),
  /** Epoch milliseconds. */
  at: z.number(),
  /** The subject of an operator, the name of a provider, or `receiver`. */
  by: z.string(),
  /** Why an operator added or removed it. */
  note: z.string().optional(),
  removed: z.literal(true).optional(),
});
export type Suppression = z.infer<typeof suppressionValue>;
const listedValue = suppressionValue.extend({ hash: z.string() });

/** A removal is known this long, so that a late report of what was before has no effect. */
const REMOVAL_MS = 30 * 86_400_000;

export type Suppressions = ReturnType<typeof openSuppressions>;

type Context = SystemPorts & { readonly broker: Broker; readonly config: Config; readonly log: Log };

/** `secret`: that of ids and hashes. */
export function openSuppressions(
  context: Context,
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
) {
  const { topicPrefix, notification } = context.config;
  const { publicUrl } = notification;
  const topic = topicName(topicPrefix, 'notificationSuppressions');
  const keys = createSuppressionKeys(secret);
  const { findAny, ...list } = followList(context, { clientId, topic });
  const find = (hash: string): Suppression | undefined => {
    if (!list.isCurrent())
      throw new InfrastructureError('suppressions-unknown', `${topic} is not being read`);
    const known = findAny(hash);
    return known?.removed === true ? undefined : known;
  };
  return {
    ...list,
    keys,
    /** The entry of an address. Throws InfrastructureError while the list is not being read. */
    find,
    /** The fields whose addresses do not get the message, with the reason as code. Throws like `find`. */
    faultsOf: (channel: Channel, command: SmsCommand | EmailCommand): readonly Fault[] => {
      const { receiver, category } = command;
      const copies = 'cc' in command ? { cc: command.cc, bcc: command.bcc } : {};
      return Object.entries({ receiver: [receiver], ...copies }).flatMap(([path, addresses]) => {
        const reasons = addresses.flatMap((address) => find(keys.hashOf(channel, address))?.reason ?? []);
        const code = reasons.find((reason) => category === 'campaign' || isStrong(reason));
        return code === undefined ? [] : [{ path, code, message: `does not get such messages (${code})` }];
      });
    },
    /** The link of a campaign mail (RFC 8058); undefined for other messages and without a public address. */
    unsubscribeUrl: ({ category, ...command }: SmsCommand | EmailCommand): string | undefined =>
      category === 'campaign' && 'subject' in command && publicUrl !== undefined
        ? `${publicUrl}${UNSUBSCRIBE_PATH}/${keys.tokenOf(command.receiver)}`
        : undefined,
    /** The record of a change; undefined if the list has a stronger entry, or a later change of the address. */
    change: (hash: string, next: Suppression): OutgoingMessage | undefined => {
      const known = findAny(hash);
      const isWeaker = known?.removed !== true && isStrong(known?.reason) && !isStrong(next.reason);
      if (known !== undefined && next.removed !== true && (isWeaker || known.at >= next.at)) return undefined;
      const headers = { [HEADER.messageType]: 'Suppression', [HEADER.contentType]: CONTENT_TYPE.json };
      return { topic, key: hash, value: Buffer.from(JSON.stringify(next)), headers };
    },
  };
}

/** The index is a file in the data folder, or in memory, and has no limit but the disk: no entry may be forgotten. */
function followList(
  context: Context,
  { clientId, topic }: { readonly clientId: string; readonly topic: string },
) {
  const { broker, log } = context;
  const name = 'suppressions';
  const index = new RecordIndex({
    ...context,
    name,
    file: openIndex(context, name),
    retentionMs: REMOVAL_MS,
  });
  const receive = (message: LogMessage): void => {
    const { key, value, partition, offset, timestampMs: writtenAtMs } = message;
    const hash = key?.toString() ?? '';
    const read = readSuppression(value);
    if (read === undefined) log.warn({ topic, partition, offset }, 'a suppression was skipped');
    else {
      const row = Buffer.from(JSON.stringify({ ...read, hash }));
      index.put(hash, { value: row, writtenAtMs, isOpen: read.removed !== true });
    }
    index.passed({ topic, partition, offset: offset + 1 });
  };
  const tail = new IndexedTail(broker, { ...context, clientId, topics: [topic], index }, receive);
  return {
    /** The latest change of an address, also a removal. */
    findAny: (hash: string): Suppression | undefined => {
      const row = index.find(hash);
      return row === undefined ? undefined : readListed(row.value);
    },
    /** The entries after a cursor, the oldest first, and the cursor of the next page, if there is one. */
    page: (limit: number, after = 0) => {
      const rows = index.openPage(after, limit);
      const next = rows.length === limit ? rows.at(-1)?.rowId : undefined;
      return { entries: rows.flatMap(({ value }) => readListed(value) ?? []), next };
    },
    isCurrent: () => tail.isCurrent(),
    start: () => tail.start(),
    health: () => tail.health(),
    stop: (timeoutMs: number) => tail.stop(timeoutMs),
  };
}

function readSuppression(value: Buffer | null): Suppression | undefined {
  try {
    return suppressionValue.parse(JSON.parse(String(value)));
  } catch {
    return undefined;
  }
}

function readListed(value: Uint8Array): z.infer<typeof listedValue> | undefined {
  return listedValue.safeParse(JSON.parse(Buffer.from(value).toString())).data;
}
