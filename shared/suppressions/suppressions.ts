import { createHmac } from 'node:crypto';
import {
  listedSuppression,
  SUPPRESSION_HASH,
  SUPPRESSION_REASONS,
  type Suppression,
  type SuppressionReason,
} from '../api/operations/suppression-calls.ts';
import { HEADER } from '../messaging/headers.ts';
import { CONTENT_TYPE } from '../messaging/codec/message-codec.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import type { Broker } from '../messaging/ports.ts';
import { IndexedTail } from '../messaging/record-index/indexed-tail.ts';
import { openIndex, RecordIndex } from '../messaging/record-index/record-index.ts';
import { topicName } from '../messaging/topics/topic-list.ts';
import { isEqualSecret, keyFor } from '../notification/command-proof.ts';
import type { EmailCommand, SmsCommand } from '../notification/notification-command.ts';
import { createReceiverHashes } from '../notification/party-hashes.ts';
import { InfrastructureError } from '../platform/errors.ts';
import type { Config } from '../platform/load-config.ts';
import { jsonOf } from '../platform/json-pointer.ts';
import type { Log } from '../platform/log.ts';
import type { Fault } from '../platform/problem.ts';
import type { SystemPorts } from '../platform/system-ports.ts';

export const UNSUBSCRIBE_PATH = '/api/notifications/v1/unsubscribe';

const LINK_BYTES = 16;

type Context = SystemPorts & { readonly broker: Broker; readonly config: Config; readonly log: Log };

/**
 * Addresses that get no messages (N8). Every process follows their topic, which has keyed hashes and no address, into an
 * index that has no limit but the disk.
 */
export class Suppressions extends IndexedTail {
  readonly #topic: string;
  readonly #publicUrl: string | undefined;
  readonly #index: RecordIndex;
  readonly #receivers: ReturnType<typeof createReceiverHashes>;
  readonly #links: Buffer;
  /** False on Kafka without RESULT_ID_SECRET: hashes and links of a known key would protect nobody, so there are none. */
  readonly isKeyed: boolean;

  /** `secret`: that of ids and hashes. */
  constructor(
    context: Context,
    { clientId, secret }: { readonly clientId: string; readonly secret: string },
  ) {
    const { broker, config, log } = context;
    const topic = topicName(config.topicPrefix, 'notificationSuppressions');
    const name = 'suppressions';
    // No entry expires, nor does a removal, so that a late report of what was before has no effect.
    const retentionMs = Number.MAX_SAFE_INTEGER;
    const index = new RecordIndex({ ...context, name, file: openIndex(context, name), retentionMs });
    super(broker, { ...context, clientId, topics: [topic], index }, (message) =>
      receive(log, index, message),
    );
    this.isKeyed = broker.kind === 'embedded' || config.resultIdSecret !== undefined;
    this.#topic = topic;
    this.#publicUrl = config.notification.publicUrl;
    this.#index = index;
    this.#receivers = createReceiverHashes(secret);
    this.#links = keyFor(secret, 'plat notification unsubscription');
  }

  /** The hash of an address, or itself (N14); some lack the plus of a number. */
  hashOf(address: string): string {
    if (SUPPRESSION_HASH.test(address)) return address;
    return address.includes('@')
      ? this.#receivers.hashOf('email', address)
      : this.#receivers.hashOf('sms', `+${address.replaceAll(/\D/g, '')}`);
  }

  /** The entries of an address, the strongest first. Throws InfrastructureError while the list is not read, or has no key. */
  find(hash: string): readonly Suppression[] {
    return this.#all(hash).filter(({ removed }) => removed !== true);
  }

  /** Those of at most `limit` addresses from before a place, the newest first, and the place of the next page, if any. Throws like `find`. */
  page(limit: number, before?: string) {
    this.#requireList();
    const entries: Suppression[] = [];
    let read = 0;
    for (const { value, place } of this.#index.recent(before)) {
      entries.push(...readEntries(value).filter(({ removed }) => removed !== true));
      read += 1;
      if (read === limit) return { entries, next: place };
    }
    return { entries, next: undefined };
  }

  /** What writes an entry, or removes it, or `isAll` those of the address. Each reason has a record, so none replaces another. */
  records(entry: Suppression, isAll = false): readonly OutgoingMessage[] {
    const headers = { [HEADER.messageType]: 'Suppression', [HEADER.contentType]: CONTENT_TYPE.json };
    return (isAll ? SUPPRESSION_REASONS : [entry.reason]).map((reason) => {
      const value = Buffer.from(JSON.stringify({ ...entry, reason }));
      return { topic: this.#topic, key: `${entry.hash}/${reason}`, value, headers };
    });
  }

  /** That of what was reported; none if the list has a later change of the same reason. Throws like `find`. */
  recordReported(entry: Suppression): readonly OutgoingMessage[] {
    const isOld = this.#all(entry.hash).some(({ reason, at }) => reason === entry.reason && at >= entry.at);
    return isOld ? [] : this.records(entry);
  }

  #requireList(): void {
    if (this.isKeyed && this.isCurrent()) return;
    throw new InfrastructureError('suppressions-unknown', `${this.#topic} is not being read`);
  }

  #all(hash: string): readonly Suppression[] {
    this.#requireList();
    return readEntries(this.#index.find(hash)?.value);
  }

  /** The fields whose addresses do not get the message, with the reason as code. Throws like `find`. */
  faultsOf(command: SmsCommand | EmailCommand): readonly Fault[] {
    if (!this.isKeyed) return [];
    const { receiver, category } = command;
    const copies = 'cc' in command ? { cc: command.cc, bcc: command.bcc } : {};
    return Object.entries({ receiver: [receiver], ...copies }).flatMap(([path, addresses]) => {
      const entries = addresses.flatMap((address) => this.find(this.hashOf(address)));
      const code = entries.find(({ reason }) => category === 'campaign' || isStrong(reason))?.reason;
      return code === undefined ? [] : [{ path, code, message: `does not get such messages (${code})` }];
    });
  }

  /** The link of a campaign mail (RFC 8058), which has no end; undefined for others and without a public address. */
  unsubscribeUrl({ category, ...command }: SmsCommand | EmailCommand): string | undefined {
    return category === 'campaign' && 'subject' in command && this.#publicUrl !== undefined
      ? `${this.#publicUrl}${UNSUBSCRIBE_PATH}/${this.#tokenOf(this.hashOf(command.receiver))}`
      : undefined;
  }

  /** The hash of the address for which the token of a link was made; undefined for any other text. */
  hashOfToken(token: string): string | undefined {
    const [hash = ''] = token.split('.');
    return this.isKeyed && isEqualSecret(token, this.#tokenOf(hash)) ? hash : undefined;
  }

  #tokenOf(hash: string): string {
    const mac = createHmac('sha256', this.#links).update(hash).digest();
    return `${hash}.${mac.toString('base64url', 0, LINK_BYTES)}`;
  }
}

/** A hard bounce and an operator stop transactional messages too, the other reasons only campaigns. */
function isStrong(reason: SuppressionReason): boolean {
  return reason === 'bounced' || reason === 'operator';
}

/** The index has the entries of an address together. Of two with a reason the later applies, of one time the removal. */
function receive(log: Log, index: RecordIndex, { value, ...message }: LogMessage): void {
  const { topic, partition, offset, timestampMs: writtenAtMs } = message;
  const { data: entry } = listedSuppression.safeParse(jsonOf(Buffer.from(value ?? []).toString()));
  if (entry === undefined) log.warn({ topic, partition, offset }, 'a suppression was skipped');
  else {
    const known = readEntries(index.find(entry.hash)?.value);
    const all = [...known, entry].toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
    const ranked = SUPPRESSION_REASONS.flatMap((name) => all.find(({ reason }) => reason === name) ?? []);
    index.put(entry.hash, { value: Buffer.from(JSON.stringify(ranked)), writtenAtMs, isOpen: false });
  }
  index.passed({ topic, partition, offset: offset + 1 });
}

const timeOf = ({ at, removed }: Suppression): string => `${at} ${removed ?? ''}`;

function readEntries(value: Uint8Array = Buffer.from('[]')): readonly Suppression[] {
  return JSON.parse(Buffer.from(value).toString()) as readonly Suppression[];
}
