import type { FastifyInstance, FastifyReply } from 'fastify';
import { NotificationRules } from '../../../shared/api/notification/field-rules.ts';
import { OPERATIONS_LIMITS, readFields, readQuery } from '../../../shared/api/operations/operation-fields.ts';
import {
  removalBody,
  suppressionBody,
  suppressionQuery,
} from '../../../shared/api/operations/suppression-calls.ts';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import type { Fault } from '../../../shared/platform/problem.ts';
import type { Suppression, Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { authorizeOperator } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, refuseFailed, sendJson } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';

type SuppressionDeps = IngressContext & { readonly suppressions: Suppressions };

const LIMIT_BYTES = 4_096;

/** The list of suppressed addresses (N8) for operators, who read it (operations:read), add and remove (:write). */
export function registerSuppressions(app: FastifyInstance, base: string, deps: SuppressionDeps): void {
  const { suppressions } = deps;
  const url = `${base}/suppressions`;
  const common = [labelMetrics('operations-suppressions'), requireOpen(deps.traffic)];
  const mayRead = [...common, authorizeOperator(deps, 'operations:read')];
  app.get(url, { preHandler: mayRead }, (request, reply) =>
    orUnavailable(deps, reply, () => {
      const read = readQuery(suppressionQuery, request.query);
      if (read.kind === 'invalid') return refuseFaults(reply, read.faults);
      const { receiver, limit = OPERATIONS_LIMITS.defaultPageSuppressions, cursor } = read.fields;
      if (receiver === undefined) return sendPage(reply, suppressions.page(limit, cursor));
      const address = readAddress(deps, receiver);
      if ('faults' in address) return refuseFaults(reply, address.faults);
      const known = suppressions.find(address.hash);
      return sendPage(reply, { entries: known === undefined ? [] : [{ ...known, hash: address.hash }] });
    }),
  );
  const mayWrite = [...common, requireJson(LIMIT_BYTES), authorizeOperator(deps, 'operations:write')];
  const change = (action: string, changeOf: (body: unknown) => Change): void => {
    app.post(`${url}/${action}`, { preHandler: mayWrite }, async (request, reply) => {
      await readJsonBody(request, reply, { limitBytes: LIMIT_BYTES });
      if (reply.sent) return;
      await orUnavailable(deps, reply, async () => {
        const changed = changeOf(request.body);
        if (changed === undefined) refuse(reply, 'not-found', { detail: 'The list has no such entry.' });
        else if ('faults' in changed) refuseFaults(reply, changed.faults);
        else await store(deps, reply, changed);
      });
    });
  };
  change('add', (body) => {
    const read = readFields(suppressionBody, body);
    if (read.kind === 'invalid') return read;
    const address = readAddress(deps, read.fields.receiver);
    return 'faults' in address ? address : { ...address, reason: 'operator', note: read.fields.reason };
  });
  change('remove', (body) => {
    const read = readFields(removalBody, body);
    if (read.kind === 'invalid') return read;
    const { hash, reason: note } = read.fields;
    const known = suppressions.find(hash);
    return known && { hash, channel: known.channel, reason: known.reason, note, removed: true };
  });
}

type Entry = Suppression & { readonly hash: string };
/** Undefined if there is no such entry. */
type Change = Omit<Entry, 'at' | 'by'> | { readonly faults: readonly Fault[] } | undefined;

function refuseFaults(reply: FastifyReply, errors: readonly Fault[]): void {
  refuse(reply, 'invalid-request', { errors });
}

type Address = { readonly hash: string; readonly channel: Channel } | { readonly faults: readonly Fault[] };

function readAddress({ suppressions, options }: SuppressionDeps, receiver: string): Address {
  const rules = new NotificationRules(options.defaultCountry);
  const channel = receiver.includes('@') ? 'email' : 'sms';
  const address = (channel === 'email' ? rules.address : rules.phone)('receiver', receiver);
  if (address === undefined) return { faults: rules.faults };
  return { hash: suppressions.keys.hashOf(channel, address), channel };
}

function sendPage(
  reply: FastifyReply,
  page: { readonly entries: readonly Entry[]; readonly next?: number | undefined },
) {
  const suppressions = page.entries.map(renderEntry);
  sendJson(reply, 200, JSON.stringify({ suppressions, nextCursor: page.next }));
}

function renderEntry({ hash, channel, reason, at, by, note }: Entry): object {
  return { hash, channel, reason, at: new Date(at).toISOString(), by, note };
}

/** Writes a change of an operator to the list, and who, when and why to the audit. */
async function store(
  { clock, options, notificationPublisher, suppressions }: SuppressionDeps,
  reply: FastifyReply,
  { hash, ...change }: Omit<Entry, 'at' | 'by'>,
): Promise<void> {
  const { subject } = reply.request;
  const entry = { ...change, at: clock.now(), by: subject === '' ? 'anonymous' : subject };
  const message = suppressions.change(hash, entry);
  const audit = {
    topic: topicName(options.topicPrefix, 'deadLetterAudit'),
    key: hash,
    value: Buffer.from(JSON.stringify({ version: 1, hash, ...entry })),
    headers: { [HEADER.messageType]: 'SuppressionAudit', [HEADER.contentType]: CONTENT_TYPE.json },
  };
  await notificationPublisher.publish([audit, ...(message === undefined ? [] : [message])]);
  sendJson(reply, 200, JSON.stringify(renderEntry({ hash, ...entry })));
}

async function orUnavailable(
  { log }: SuppressionDeps,
  reply: FastifyReply,
  work: () => void | Promise<void>,
) {
  try {
    await work();
  } catch (error) {
    const detail = 'The list cannot be read or written at the moment.';
    refuseFailed(reply, { log, error, event: 'a call on the suppressions failed', detail });
  }
}
