import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import {
  BLANK_STATE,
  isReceipt,
  type NotificationState,
} from '../../../shared/notification/notification-state.ts';
import type { ReceiptSource } from '../../../shared/notification/provider-configuration.ts';
import { RECEIPTS_PATH } from '../../../shared/notification/receipt-address.ts';
import type { SuppressionReason } from '../../../shared/notification/suppression-reasons.ts';
import type { Suppression, Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { partiesOf, type KnownNotification } from '../../../shared/api/operations/notification-lists.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import type { IngressContext } from '../server/context.ts';
import { readRawBody } from '../server/json-body.ts';
import { refuse, refuseFailed } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { NotificationFeed } from './notification-feed.ts';
import { createReceiptReader, type ReadReceipts, type Receipt } from './read-receipts.ts';
import { createSignatureCheck, type IsAuthentic, type Posted } from './receipt-signature.ts';
import { findNotification } from './status-route.ts';

/** A provider that may report: its name in the address, the check of its signature, and how its reports are read. */
export interface Reporter {
  readonly name: string;
  readonly isAuthentic: IsAuthentic;
  readonly read: ReadReceipts;
}

/** Rejects with ConfigError for Twilio without PUBLIC_URL. */
export function createReporters(
  sources: readonly ReceiptSource[],
  publicUrl: string | undefined,
): Promise<readonly Reporter[]> {
  return Promise.all(
    sources.map(async (source) => ({
      name: source.name,
      isAuthentic: await createSignatureCheck(source, publicUrl),
      read: createReceiptReader(source.receipts),
    })),
  );
}

type ReceiptDeps = IngressContext & {
  readonly reporters: readonly Reporter[];
  readonly feed: NotificationFeed;
  readonly suppressions: Suppressions;
};

/** SendGrid posts up to 768 KiB. */
const LIMIT_BYTES = 1_048_576;
const BYTES_PER_UNIT = 50;
const NOT_AUTHENTIC =
  'The signature of the provider, or the secret in the address, is missing, wrong or more than 300 s old.';

/** POST by a provider about messages that it accepted (N7): 200 once all are stored. The signature is the login. */
export function registerReceipts(app: FastifyInstance, deps: ReceiptDeps): void {
  const { admission, traffic, metrics } = deps;
  const counter = metrics.counter('plat_ingress_receipts_total', 'Receipts of providers by result', [
    'provider',
    'result',
  ]);
  const preHandler = [
    labelMetrics('receipts'),
    requireOpen(traffic),
    admission.requirePermit(() => 'receipts', { limitBytes: LIMIT_BYTES, bytesPerUnit: BYTES_PER_UNIT }),
  ];
  const handler = async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => {
    const named = deps.reporters.filter(({ name }) => name === request.params.provider);
    if (named.length === 0) return refuse(reply, 'not-found', { detail: 'No such provider reports here.' });
    const body = await readRawBody(request, reply, LIMIT_BYTES);
    if (body === undefined) return undefined;
    const posted = readPosted(request, body);
    const nowMs = deps.clock.now();
    const reporter = named.find(({ isAuthentic }) => isAuthentic(posted, nowMs));
    if (reporter === undefined) {
      if (await admission.countRequest(request, reply)) refuseForeign(reply);
      return undefined;
    }
    const receipts = reporter.read(posted, nowMs);
    if (receipts === undefined) return refuse(reply, 'invalid-request', { detail: NOT_A_REPORT });
    const count = (result: string): void => counter.inc({ provider: reporter.name, result });
    return store(deps, reply, { name: reporter.name, receipts, nowMs, count });
  };
  app.post<{ Params: Params }>(`${RECEIPTS_PATH}/:provider`, { preHandler }, handler);
  app.post<{ Params: Params }>(`${RECEIPTS_PATH}/:provider/:secret`, { preHandler }, handler);
}

interface Params {
  readonly provider: string;
  readonly secret?: string;
}

const NOT_A_REPORT = 'The body must be a report of this provider, as JSON or as a form.';

function refuseForeign(reply: FastifyReply): void {
  reply.header('www-authenticate', 'Signature');
  refuse(reply, 'unauthenticated', { detail: NOT_AUTHENTIC });
}

function readPosted({ headers, url, params }: FastifyRequest<{ Params: Params }>, body: Buffer): Posted {
  const query = url.indexOf('?');
  const search = query < 0 ? '' : url.slice(query);
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body.toString())) : readJson(body);
  return { headers, body, fields, search, secret: params.secret };
}

/** The bytes are those of a provider, so no rule for requests applies to their values. */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

interface Reported {
  readonly name: string;
  readonly receipts: readonly Receipt[];
  readonly nowMs: number;
  readonly count: (result: string) => void;
}

async function store(deps: ReceiptDeps, reply: FastifyReply, { name, receipts, nowMs, count }: Reported) {
  const { notificationPublisher, log } = deps;
  try {
    const known = await findAll(deps, receipts);
    if (known === undefined) return refuse(reply, 'not-ready', { detail: BEHIND });
    const messages: OutgoingMessage[] = [];
    for (const receipt of receipts) {
      const { notificationId = '', status } = receipt;
      const notification = known.get(notificationId);
      if (notification !== undefined && isReceipt(status))
        messages.push(await recordOf(deps, { ...receipt, status }, notification, nowMs));
      messages.push(...suppressionOf(deps, receipt, { by: name, at: receipt.at ?? nowMs }));
    }
    if (messages.length > 0) await notificationPublisher.publish(messages);
    for (const { notificationId = '', status } of receipts)
      count(known.has(notificationId) || !isReceipt(status) ? status : 'unknown');
    return void reply.code(200).send();
  } catch (error) {
    const event = 'receipts of a provider could not be stored';
    return refuseFailed(reply, { log, error, event, detail: BEHIND });
  }
}

const BEHIND = 'This instance cannot tell whether it knows these notifications.';

/** The notifications by id, without unknown ones; undefined while this instance may lack some. */
async function findAll(
  { feed }: ReceiptDeps,
  receipts: readonly Receipt[],
): Promise<ReadonlyMap<string, KnownNotification> | undefined> {
  const missing = new Set(receipts.flatMap(({ notificationId }) => notificationId ?? []));
  const known = new Map<string, KnownNotification>();
  const find = async (): Promise<void> => {
    for (const id of missing) {
      const notification = await findNotification(feed, id);
      if (notification !== undefined && missing.delete(id)) known.set(id, notification);
    }
  };
  await find();
  if (missing.size === 0) return known;
  const isCaughtUp = await feed.catchUp();
  await find();
  return missing.size === 0 || (isCaughtUp && feed.isCurrent()) ? known : undefined;
}

const REASONS: Readonly<Record<string, SuppressionReason>> = {
  bounced: 'hard-bounce',
  complained: 'complaint',
  unsubscribed: 'unsubscribe',
  stopped: 'stop',
};

/** The entry of the address that must get no more messages (N8), also long after its notification. */
function suppressionOf(
  { suppressions }: ReceiptDeps,
  { status, receiver = '' }: Receipt,
  about: Pick<Suppression, 'at' | 'by'>,
): readonly OutgoingMessage[] {
  const reason = REASONS[status];
  if (reason === undefined || receiver === '') return [];
  const channel = receiver.includes('@') ? 'email' : 'sms';
  const hash = suppressions.keys.hashOf(channel, receiver);
  const message = suppressions.change(hash, { channel, reason, ...about });
  return message === undefined ? [] : [message];
}

/** Compaction keeps one record of each status, so that neither the order nor a repetition of receipts matters. */
async function recordOf(
  { codec, options, feed }: ReceiptDeps,
  { status, at, providerMessageId, code }: Receipt & Pick<NotificationState, 'status'>,
  known: KnownNotification,
  nowMs: number,
): Promise<OutgoingMessage> {
  const { notificationId, acceptance, state } = known;
  const record: NotificationState = {
    ...BLANK_STATE,
    ...partiesOf(known),
    notificationId,
    channel: (state ?? acceptance)?.channel ?? 'sms',
    status,
    attempt: state?.attempt ?? 1,
    attempts: [],
    updatedAt: at ?? nowMs,
    providerMessageId,
    code,
  };
  const { value, headers } = await codec.encode(STATE_TYPE, record, feed.formatOf(notificationId));
  const topic = topicName(options.topicPrefix, 'notificationOutcomes');
  return { topic, key: `${notificationId}/${status}`, value, headers };
}
