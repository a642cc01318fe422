import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutboxFolder } from '../../../shared/notification/outbox-folder.ts';
import { bearerToken } from '../access/access.ts';
import { admit, type AdmissionDeps } from '../server/admission.ts';
import { refuseWriting } from '../server/routes.ts';
import { refuse } from '../server/send-answer.ts';
import { OUTBOX_POLICY, outboxListPage, outboxMessagePage } from './outbox-pages.ts';

/** The local outbox as its pages read it. */
export type OutboxReader = Pick<OutboxFolder, 'list' | 'read'>;

export interface OutboxDeps extends AdmissionDeps {
  readonly basePath: string;
  readonly outbox: OutboxReader;
}

type MessageRequest = FastifyRequest<{ Params: { id: string } }>;

const LISTED = 100;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Serves /outbox, /outbox/{id} and /outbox/{id}/message.eml, read-only: what would have been sent, for those who try the
 * system out. Where access control is on they need the token like everything else.
 */
export function registerOutbox(app: FastifyInstance, deps: OutboxDeps): void {
  const { basePath, outbox } = deps;
  const base = `${basePath}/outbox`;
  app.get(base, (request, reply) =>
    letIn(deps, request, reply, async () =>
      sendPage(reply, outboxListPage(await outbox.list(LISTED), basePath)),
    ),
  );
  app.get(`${base}/:id`, (request: MessageRequest, reply) =>
    letIn(deps, request, reply, async () => {
      const message = await find(deps, request);
      if (message === undefined) return refuse(reply, 'not-found');
      sendPage(reply, outboxMessagePage(message, basePath));
    }),
  );
  app.get(`${base}/:id/message.eml`, (request: MessageRequest, reply) =>
    letIn(deps, request, reply, async () => {
      const message = await find(deps, request);
      if (message === undefined || message.channel !== 'email') return refuse(reply, 'not-found');
      secured(reply)
        .header('content-type', 'message/rfc822')
        .header('content-disposition', `attachment; filename="${message.id}.eml"`)
        .send(message.content);
    }),
  );
  for (const path of ['', '/:id', '/:id/message.eml']) refuseWriting(app, base + path);
}

/** Where the pages are not served, /outbox says why: the README names the address. */
export function registerAbsentOutbox(app: FastifyInstance, basePath: string): void {
  app.get(`${basePath}/outbox`, (_request, reply) => {
    refuse(reply, 'not-found', {
      detail:
        'The local outbox is shown on the embedded broker without a provider configuration only. Elsewhere the ' +
        'providers of NOTIFICATION_CONFIG_FILE take the messages, or OUTBOX_FOLDER of the notification worker.',
    });
  });
  refuseWriting(app, `${basePath}/outbox`);
}

function letIn(
  deps: OutboxDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => Promise<void>,
): void {
  request.figures = 'outbox';
  const credentials = { token: bearerToken(request.headers.authorization), userName: undefined };
  admit(deps, { request, reply, credentials }, () => {
    answer().catch((error: unknown) => reply.send(error));
  });
}

async function find({ outbox }: OutboxDeps, { params }: MessageRequest) {
  return UUID.test(params.id) ? outbox.read(params.id) : undefined;
}

function sendPage(reply: FastifyReply, page: string): void {
  secured(reply).header('content-type', 'text/html; charset=utf-8').send(page);
}

function secured(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', OUTBOX_POLICY)
    .header('referrer-policy', 'no-referrer');
}
