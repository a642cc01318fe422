import type { FastifyInstance, FastifyReply } from 'fastify';
import { UNSUBSCRIBE_PATH } from '../../../shared/suppressions/suppressions.ts';
import { readRawBody } from '../server/json-body.ts';
import { refuse } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { NotificationContext } from './send-route.ts';
import { orUnreadable } from './status-route.ts';
import texts from './unsubscribe-texts.json' with { type: 'json' };

/** Mail programs post `List-Unsubscribe=One-Click`. */
const LIMIT_BYTES = 4_096;
const POLICY = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The links of campaign mails (N8, RFC 8058), without login: the token in the address is the permission. */
export function registerUnsubscribe(app: FastifyInstance, deps: NotificationContext): void {
  const { suppressions, admission, notificationPublisher, clock } = deps;
  app.route<{ Params: { readonly token: string } }>({
    method: ['GET', 'POST'],
    url: `${UNSUBSCRIBE_PATH}/:token`,
    preHandler: [labelMetrics('unsubscribe'), requireOpen(deps.traffic)],
    handler: async (request, reply) => {
      if (!(await admission.countRequest(request, reply))) return;
      const hash = suppressions.hashOfToken(request.params.token);
      if (hash === undefined) return refuse(reply, 'not-found', { detail: 'This link is not complete.' });
      if (request.method !== 'POST') return sendPage(reply, false);
      if ((await readRawBody(request, reply, LIMIT_BYTES)) === undefined) return;
      await orUnreadable(deps, reply, async () => {
        const at = new Date(clock.now()).toISOString();
        const entry = { hash, reason: 'unsubscribed', at, by: 'receiver' } as const;
        await notificationPublisher.publish(suppressions.recordReported(entry));
        sendPage(reply, true);
      });
    },
  });
}

function sendPage(reply: FastifyReply, isDone: boolean): void {
  const [, preferred = 'en'] =
    /(?:^|,)\s*(en|ro)\b/i.exec(reply.request.headers['accept-language'] ?? '') ?? [];
  const language = preferred.toLowerCase() === 'ro' ? 'ro' : 'en';
  const { title, lead, button, done } = texts[language];
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    // With no-referrer the origin of the form would be null.
    'referrer-policy': 'same-origin',
  }).send(`<!doctype html><html lang="${language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title}</title><main><h1>${title}</h1><p role="status">${isDone ? done : lead}</p>
${isDone ? '' : `<form method="post"><button name="List-Unsubscribe" value="One-Click">${button}</button></form>`}
</main></html>`);
}
