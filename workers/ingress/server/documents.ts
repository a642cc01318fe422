import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendCoded, matchesTag, weakTag } from './send-answer.ts';

export interface Documents {
  readonly openApiJson: () => string;
  readonly asyncApiJson: () => string;
  /** Self-contained HTML: inline styles and scripts, and no resources of other hosts. */
  readonly docsPage: () => string | Promise<string>;
}

interface Resource {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  readonly contentSecurityPolicy: string | undefined;
}

const CACHE_CONTROL = 'public, max-age=300';
const INLINE = /<(style|script)\b[^>]*>([\s\S]*?)<\/\1>/gi;

/** Serves /docs, /openapi.json and /asyncapi.json with entity tags. Renders each on its first request (tens of ms). */
export function registerDocuments(app: FastifyInstance, load: () => Promise<Documents>): void {
  const json = 'application/json; charset=utf-8';
  const creators: Record<string, (documents: Documents) => Promise<Resource> | Resource> = {
    '/docs': async (documents) => {
      const page = await documents.docsPage();
      return createResource('text/html; charset=utf-8', page, pagePolicy(page));
    },
    '/openapi.json': (documents) => createResource(json, documents.openApiJson()),
    '/asyncapi.json': (documents) => createResource(json, documents.asyncApiJson()),
  };
  for (const [path, create] of Object.entries(creators)) {
    let resource: Resource | undefined;
    app.get(path, async (request, reply) => {
      const content = (resource ??= await create(await load()));
      sendResource(request, reply, content);
      return reply;
    });
  }
}

function createResource(type: string, text: string, contentSecurityPolicy?: string): Resource {
  const body = Buffer.from(text);
  return { type, body, gzip: gzipSync(body), etag: weakTag(body), contentSecurityPolicy };
}

function sendResource(request: FastifyRequest, reply: FastifyReply, content: Resource): void {
  reply.header('etag', content.etag).header('cache-control', CACHE_CONTROL).header('vary', 'accept-encoding');
  if (content.contentSecurityPolicy !== undefined)
    reply.header('content-security-policy', content.contentSecurityPolicy);
  if (matchesTag(request.headers['if-none-match'], content.etag)) return void reply.code(304).send();
  sendCoded(request, reply.header('content-type', content.type), content);
}

/** The page loads no resources; its inline styles and scripts are allowed by their hashes. */
function pagePolicy(page: string): string {
  const hashes = { style: new Set<string>(), script: new Set<string>() };
  for (const [, tag = '', content = ''] of page.matchAll(INLINE)) {
    const kind = tag.toLowerCase() === 'style' ? 'style' : 'script';
    hashes[kind].add(`'sha256-${createHash('sha256').update(content).digest('base64')}'`);
  }
  return [
    "default-src 'none'",
    `style-src ${[...hashes.style].join(' ') || "'none'"}`,
    `script-src ${[...hashes.script].join(' ') || "'none'"}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
