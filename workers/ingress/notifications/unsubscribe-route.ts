import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNSUBSCRIBE_PATH } from '../../../shared/suppressions/suppression-keys.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import type { IngressContext } from '../server/context.ts';
import { readRawBody } from '../server/json-body.ts';
import { refuse, refuseFailed } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';

type UnsubscribeDeps = IngressContext & { readonly suppressions: Suppressions };
type Params = { readonly Params: { readonly token: string } };

/** Mail programs post `List-Unsubscribe=One-Click`. */
const LIMIT_BYTES = 4_096;

const TEXTS = {
  en: {
    title: 'Unsubscribe',
    lead: 'Do you want to receive no more offers and news by e-mail at this address? Messages about your contracts still come.',
    button: 'Unsubscribe',
    done: 'You are unsubscribed. You will receive no more offers and news by e-mail at this address.',
  },
  ro: {
    title: 'Dezabonare',
    lead: 'Doriți să nu mai primiți oferte și noutăți prin e-mail la această adresă? Mesajele despre contractele dumneavoastră vor veni în continuare.',
    button: 'Mă dezabonez',
    done: 'V-ați dezabonat. Nu veți mai primi oferte și noutăți prin e-mail la această adresă.',
  },
} as const;

/** The links of campaign mails (N8, RFC 8058), without login: the token in the address is the permission. */
export function registerUnsubscribe(app: FastifyInstance, deps: UnsubscribeDeps): void {
  const { suppressions, admission, notificationPublisher, clock, log } = deps;
  const readLink = async (
    request: FastifyRequest<Params>,
    reply: FastifyReply,
  ): Promise<string | undefined> => {
    if (!(await admission.countRequest(request, reply))) return undefined;
    const hash = suppressions.keys.readToken(request.params.token);
    if (hash === undefined) refuse(reply, 'not-found', { detail: 'This link is not complete.' });
    return hash;
  };
  const options = { preHandler: [labelMetrics('unsubscribe'), requireOpen(deps.traffic)] };
  app.get<Params>(`${UNSUBSCRIBE_PATH}/:token`, options, async (request, reply) => {
    if ((await readLink(request, reply)) !== undefined) sendPage(reply, 'question');
  });
  app.post<Params>(`${UNSUBSCRIBE_PATH}/:token`, options, async (request, reply) => {
    const hash = await readLink(request, reply);
    if (hash === undefined || (await readRawBody(request, reply, LIMIT_BYTES)) === undefined) return;
    const entry = { channel: 'email', reason: 'unsubscribe', at: clock.now(), by: 'receiver' } as const;
    const message = suppressions.change(hash, entry);
    try {
      if (message !== undefined) await notificationPublisher.publish([message]);
      sendPage(reply, 'done');
    } catch (error) {
      const detail = 'The list cannot be written at the moment.';
      refuseFailed(reply, { log, error, event: 'an unsubscription could not be stored', detail });
    }
  });
}

function sendPage(reply: FastifyReply, kind: 'question' | 'done'): void {
  const [, preferred] = /(?:^|,)\s*(en|ro)\b/i.exec(reply.request.headers['accept-language'] ?? '') ?? [];
  const language = preferred?.toLowerCase() === 'ro' ? 'ro' : 'en';
  const { title, lead, button, done } = TEXTS[language];
  const form = `<p>${lead}</p><form method="post"><button name="List-Unsubscribe" value="One-Click">${button}</button></form>`;
  reply
    .code(200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-language', language)
    .header('vary', 'accept-language')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    // With no-referrer the origin of the form would be null.
    .header('referrer-policy', 'same-origin')
    .send(
      `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="color-scheme" content="light dark"><title>${title}</title>` +
        `<main><h1>${title}</h1>${kind === 'question' ? form : `<p role="status">${done}</p>`}</main></html>`,
    );
}
