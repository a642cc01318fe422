import type { FastifyInstance, FastifyReply } from 'fastify';
import { OPERATIONS_LIMITS, readFields, readQuery } from '../../../shared/api/operations/operation-fields.ts';
import { suppressionBody, suppressionQuery } from '../../../shared/api/operations/suppression-calls.ts';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { orUnreadable } from '../notifications/status-route.ts';
import { operatorHooks } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson } from '../server/send-answer.ts';

type SuppressionDeps = IngressContext & { readonly suppressions: Suppressions };

const LIMIT_BYTES = 4_096;

/** The list of suppressed addresses (N8) for operators, who read it (operations:read), add and remove (:write). */
export function registerSuppressions(app: FastifyInstance, base: string, deps: SuppressionDeps): void {
  const { suppressions } = deps;
  const url = `${base}/suppressions`;
  const label = 'operations-suppressions';
  app.get(url, { preHandler: operatorHooks(deps, label, 'operations:read') }, (request, reply) =>
    orUnreadable(deps, reply, async () => {
      const read = readQuery(suppressionQuery, request.query);
      if (read.kind === 'invalid') return refuse(reply, 'invalid-request', { errors: read.faults });
      const { receiver, limit = OPERATIONS_LIMITS.defaultPageNotifications, cursor } = read.fields;
      const { entries, next: nextCursor } =
        receiver === undefined
          ? suppressions.page(limit, cursor)
          : { entries: suppressions.find(suppressions.hashOf(receiver)), next: undefined };
      sendJson(reply, 200, JSON.stringify({ suppressions: entries, nextCursor }));
    }),
  );
  const mayWrite = operatorHooks(deps, label, 'operations:write', requireJson(LIMIT_BYTES));
  for (const action of ['add', 'remove'] as const) {
    app.post(`${url}/${action}`, { preHandler: mayWrite }, async (request, reply) => {
      await readJsonBody(request, reply, { limitBytes: LIMIT_BYTES });
      if (!reply.sent) await orUnreadable(deps, reply, () => change(deps, action, reply));
    });
  }
}

/** Writes a change of an operator to the list, and who, when and why to the audit. */
async function change(deps: SuppressionDeps, action: 'add' | 'remove', reply: FastifyReply): Promise<void> {
  const { clock, options, notificationPublisher, suppressions } = deps;
  const { body, subject } = reply.request;
  const read = readFields(suppressionBody, body);
  if (read.kind === 'invalid') return refuse(reply, 'invalid-request', { errors: read.faults });
  const { receiver, reason: note } = read.fields;
  const hash = suppressions.hashOf(receiver);
  const [known] = suppressions.find(hash);
  const isRemoval = action === 'remove';
  if (isRemoval && known === undefined)
    return refuse(reply, 'not-found', { detail: 'The list has no such entry.' });
  const entry = {
    hash,
    reason: (isRemoval && known?.reason) || ('operator' as const),
    at: new Date(clock.now()).toISOString(),
    by: subject === '' ? 'anonymous' : subject,
    note,
    ...(isRemoval && { removed: true as const }),
  };
  const audit = {
    topic: topicName(options.topicPrefix, 'deadLetterAudit'),
    key: hash,
    value: Buffer.from(JSON.stringify({ version: 1, ...entry })),
    headers: { [HEADER.messageType]: 'SuppressionAudit', [HEADER.contentType]: CONTENT_TYPE.json },
  };
  // A removal is that of every reason, so that no late report of what was before restores an entry.
  await notificationPublisher.publish([audit, ...suppressions.records(entry, isRemoval)]);
  sendJson(reply, 200, JSON.stringify(entry));
}
