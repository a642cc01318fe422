import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { BLANK_STATE, isReceipt } from '../../../shared/notification/notification-state.ts';
import { RECEIPTS_PATH } from '../../../shared/notification/receipt-address.ts';
import { partiesOf, type KnownNotification } from '../../../shared/api/operations/notification-lists.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import { readRawBody } from '../server/json-body.ts';
import { refuse } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { NotificationFeed } from './notification-feed.ts';
import { readReceipts, type Receipt } from './read-receipts.ts';
import { isAuthentic, readPosted, type ReceiptParams } from './receipt-signature.ts';
import type { NotificationContext } from './send-route.ts';
import type { ReceiptSource } from '../../../shared/notification/provider-configuration.ts';
import { findNotification, orUnreadable, refuseBehind } from './status-route.ts';

type ReceiptDeps = NotificationContext & { readonly feed: NotificationFeed };

type Params = { readonly Params: ReceiptParams };

/** SendGrid posts up to 768 KiB; its signature and the secret of an address are checked without parsing. */
const [LARGE_BYTES, SMALL_BYTES] = [1_048_576, 65_536];
const STARTED = { reason: 'stopped', removed: true } as const;
const BYTES_PER_UNIT = 50;
const NOT_AUTHENTIC =
  'The signature of the provider, or the secret in the address, is missing, wrong or more than 300 s old.';
const NOT_A_REPORT = 'The body must be a report of this provider, as JSON or as a form.';

/** POST by a provider about messages that it accepted (N7): 200 once all are stored. The signature is the login. */
export function registerReceipts(app: FastifyInstance, deps: ReceiptDeps): void {
  const { admission, metrics } = deps;
  const counter = metrics.counter('plat_ingress_receipts_total');
  const preHandler = [
    labelMetrics('receipts'),
    requireOpen(deps.traffic),
    admission.requirePermit(() => 'receipts', { limitBytes: LARGE_BYTES, bytesPerUnit: BYTES_PER_UNIT }),
  ];
  const handler = async (request: FastifyRequest<Params>, reply: FastifyReply) => {
    const { provider } = request.params;
    const sources = deps.receiptSources.filter(({ name }) => name === provider);
    if (sources.length === 0) return refuse(reply, 'not-found', { detail: 'No such provider reports here.' });
    if (!(await admission.countRequest(request, reply))) return undefined;
    const isLarge = sources.some(({ receipts: { kind } }) => kind === 'sendgrid' || kind === 'path');
    const body = await readRawBody(request, reply, isLarge ? LARGE_BYTES : SMALL_BYTES);
    if (body === undefined) return undefined;
    const posted = readPosted(request, body);
    const nowMs = deps.clock.now();
    for (const source of sources) {
      if (!(await isAuthentic(source, posted, nowMs))) continue;
      admission.giveBack(request);
      const receipts = readReceipts(source.receipts, posted, nowMs);
      if (receipts === undefined) return refuse(reply, 'invalid-request', { detail: NOT_A_REPORT });
      return orUnreadable(deps, reply, async () => {
        const known = await findAll(deps, receipts);
        if (known === undefined) return refuseBehind(reply);
        const all = await Promise.all(receipts.map((one) => recordsOf(deps, one, { known, source })));
        await deps.notificationPublisher.publish(all.flatMap(({ records }) => records));
        for (const { result } of all) counter.inc({ provider, result });
        reply.code(200).send();
      });
    }
    reply.header('www-authenticate', 'Signature');
    return refuse(reply, 'unauthenticated', { detail: NOT_AUTHENTIC });
  };
  for (const path of ['/:provider', '/:provider/:secret'])
    app.post<Params>(RECEIPTS_PATH + path, { preHandler }, handler);
}

/** The notifications by id, without unknown ones; undefined while this instance may lack their last states. */
async function findAll({ feed }: ReceiptDeps, receipts: readonly Receipt[]) {
  if (!(await feed.catchUp())) return undefined;
  const known = new Map<string, KnownNotification>();
  for (const id of new Set(receipts.flatMap(({ notificationId }) => notificationId ?? []))) {
    const found = await findNotification(feed, id);
    if (found !== undefined) known.set(id, found);
  }
  return known;
}

/** Whether the provider may have the message. Its report may come before our own record of the outcome. */
function mayReport({ name, channel }: ReceiptSource, { state }: KnownNotification): boolean {
  if (state?.channel !== channel) return false;
  const { status, attempts, providers = [] } = state;
  if (status === 'parked' || (status === 'sending' && providers.includes(name))) return true;
  return attempts.some(({ provider, result }) =>
    result === 'unknown' ? [name, '-'].includes(provider) : result === 'sent' && provider === name,
  );
}

/**
 * The records of a receipt, and its result: one record under each status, so that neither the order nor a repetition
 * matters, and the entry of an address that must get no more messages (N8), also long after its notification.
 */
async function recordsOf(
  { codec, options, feed, suppressions }: ReceiptDeps,
  { notificationId = '', status, receiver, at, providerMessageId, code }: Receipt,
  { known, source }: { known: ReadonlyMap<string, KnownNotification>; source: ReceiptSource },
): Promise<{ readonly result: string; readonly records: readonly OutgoingMessage[] }> {
  const about = known.get(notificationId);
  const isOfAddress = receiver !== '' && status !== 'delivered' && status !== 'undelivered';
  const reported = { hash: suppressions.hashOf(receiver), at: new Date(at).toISOString(), by: source.name };
  const entries =
    isOfAddress && suppressions.isKeyed
      ? suppressions.recordReported({ ...reported, ...(status === 'started' ? STARTED : { reason: status }) })
      : [];
  if (!isReceipt(status)) return { result: status, records: entries };
  if (about?.state === undefined || !mayReport(source, about))
    return { result: about === undefined ? 'unknown' : 'unexpected', records: entries };
  const { channel, attempt } = about.state;
  const own = { notificationId, channel, status, attempt, attempts: [], updatedAt: at };
  const record = { ...BLANK_STATE, ...partiesOf(about), ...own, providerMessageId, code };
  const { value, headers } = await codec.encode(STATE_TYPE, record, feed.formatOf(notificationId));
  const topic = topicName(options.topicPrefix, 'notificationOutcomes');
  const message = { topic, key: `${notificationId}/${status}`, value, headers };
  return { result: status, records: [message, ...entries] };
}
