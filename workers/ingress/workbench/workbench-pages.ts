import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../shared/api/documents/html.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { sendCoded, matchesTag, refuse } from '../server/send-answer.ts';
import type { IngressContext } from '../server/context.ts';
import { labelMetrics } from '../server/traffic.ts';
import { loadBundle, type Bundle } from './bundle.ts';

/** Browsers may cache a file for a year: its name contains a hash of its content. */
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const CANNOT_COMPILE =
  'The workbench cannot be compiled. Install the optional packages (npm ci), or compile it beforehand with npm run build:workbench.';
/** Resources come from this instance; images may be `data:` addresses. The only frames show e-mails in a sandbox. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type AssetRequest = FastifyRequest<{ Params: { name: string } }>;

/**
 * Serves the workbench at /workbench and below, and redirects / to it. Pages and files contain no business data, so
 * the server asks for no token. If access control is on, the page asks the user for a token, with which it makes calls.
 */
export function registerWorkbench(
  app: FastifyInstance,
  deps: Pick<IngressContext, 'access' | 'log' | 'options'>,
): void {
  const base = '/workbench';
  const load = async (reply: FastifyReply): Promise<Bundle | undefined> => {
    try {
      return await loadBundle();
    } catch (error) {
      deps.log.error({ error: errorText(error) }, 'the workbench cannot be compiled');
      refuse(reply, 'unexpected', { detail: CANNOT_COMPILE });
      return undefined;
    }
  };
  const preHandler = [labelMetrics('workbench')];
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const bundle = await load(reply);
    if (bundle === undefined) return;
    const page = renderPage(bundle, deps);
    reply
      .header('etag', page.etag)
      .header('cache-control', 'no-cache')
      .header('content-security-policy', PAGE_POLICY)
      .header('referrer-policy', 'no-referrer');
    if (matchesTag(request.headers['if-none-match'], page.etag)) return void reply.code(304).send();
    reply.header('content-type', 'text/html; charset=utf-8').send(page.body);
  };
  app.get(base, { preHandler }, sendPage);
  app.get(`${base}/*`, { preHandler }, sendPage);
  app.get(`${base}/assets/:name`, { preHandler }, async (request: AssetRequest, reply) => {
    const bundle = await load(reply);
    if (bundle === undefined) return;
    const asset = bundle.assets.get(request.params.name);
    if (asset === undefined) return refuse(reply, 'not-found');
    reply.header('content-type', asset.type).header('cache-control', ASSET_CACHE);
    sendCoded(request, reply, asset);
  });
  app.get('/', (_request, reply) => reply.redirect(base, 302));
}

function renderPage(
  { script, styles }: Bundle,
  { access, options: { topicPrefix } }: Pick<IngressContext, 'access' | 'options'>,
) {
  const assets = '/workbench/assets';
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="schedule-topic" content="${topicName(topicPrefix, 'scheduleRequests')}">
<meta name="access" content="${access.required ? 'token' : 'open'}">
<title>Workbench</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%230b5a7a'/%3E%3Cpath d='M3 12h2V8H3zm4 0h2V5H7zm4 0h2V3h-2z' fill='%23fff'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${assets}/${styles}">
<script type="module" src="${assets}/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The workbench needs JavaScript. The HTTP interface can do everything that the workbench does: <a href="/docs">documentation</a>.</noscript>
</body>
</html>
`.markup;
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, 12)}"` };
}
