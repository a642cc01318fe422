import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ProductDirectory, searchProducts } from './product-directory.ts';
import { productQuery, type ProductPage } from '../../../shared/contract/operations/product-lists.ts';
import { readQuery } from '../../../shared/contract/operations/operation-fields.ts';
import { MessagingError, SystemError } from '../../../shared/platform/errors.ts';
import type { IngressContext } from '../server/context.ts';
import { matchesTag, weakTag } from '../server/entity-tags.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import { authorizeOperator } from '../server/authorize-operator.ts';
import type { OnDemandCatalogue } from './on-demand-catalogue.ts';

export interface ProductRouteDeps extends IngressContext {
  readonly catalogue: OnDemandCatalogue;
}

interface VersionParams {
  readonly code: string;
  readonly version: string;
}

const VERSION_NUMBER = /^[1-9]\d{0,9}$/;

/**
 * The products of the catalogue with all of their versions, also those that look-ups do not return: the list, one product, and
 * one version with the lists to which it refers. Requires the scope `operations:read`.
 */
export function registerProducts(app: FastifyInstance, base: string, deps: ProductRouteDeps): void {
  const preHandler = [
    labelMetrics('operations-products'),
    requireOpen(deps.traffic),
    authorizeOperator(deps, 'operations:read'),
  ];
  const list = `${base}/products`;
  app.get(list, { preHandler }, async (request, reply) => {
    const read = readQuery(productQuery, request.query);
    if (read.kind === 'invalid') return refuse(reply, 'invalid-request', { errors: read.faults });
    await respond(deps, request, reply, async (directory): Promise<ProductPage> => {
      const isComplete = directory.isComplete();
      return { ...searchProducts(await directory.products(), read.fields), isComplete };
    });
  });
  const one = `${list}/:code`;
  app.get<{ Params: VersionParams }>(one, { preHandler }, async (request, reply) => {
    await respond(deps, request, reply, (directory) => directory.product(request.params.code));
  });
  const version = `${one}/versions/:version`;
  app.get<{ Params: VersionParams }>(version, { preHandler }, async (request, reply) => {
    const { code, version: number } = request.params;
    await respond(deps, request, reply, (directory) =>
      VERSION_NUMBER.test(number) ? directory.version(code, Number(number)) : undefined,
    );
  });
}

/** Responds with what `find` finds; undefined: there is no such product. */
async function respond(
  { catalogue, log }: ProductRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  find: (directory: ProductDirectory) => Promise<object> | object | undefined,
): Promise<void> {
  try {
    const directory = await catalogue.directory();
    if (typeof directory === 'string') return refuse(reply, 'not-ready', { detail: NOT_READY[directory] });
    const found = await find(directory);
    if (found === undefined) return refuse(reply, 'unknown-product', { detail: UNKNOWN });
    sendTagged(request, reply, JSON.stringify(found));
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    log.error({ code: error.code, reason: error.message }, 'the catalogue could not be read');
    if (error.canRetry) return refuse(reply, 'broker-unavailable');
    const detail =
      error instanceof MessagingError ? error.message : 'The catalogue cannot be read at the moment.';
    refuse(reply, 'not-ready', { detail });
  }
}

const NOT_READY = {
  absent: 'The topic of the catalogue does not exist: npm run topics -- create.',
  reading: 'This instance is still reading the catalogue.',
} as const;
const UNKNOWN = 'The catalogue has no product with this code, or no such version of it.';

/** A caller may keep the answer, if it asks each time whether it has changed. */
const CACHE_CONTROL = 'private, no-cache';

function sendTagged(request: FastifyRequest, reply: FastifyReply, json: string): void {
  const etag = weakTag(json);
  reply.header('etag', etag);
  if (!matchesTag(request.headers['if-none-match'], etag)) return sendJson(reply, 200, json, CACHE_CONTROL);
  reply.code(304).header('cache-control', CACHE_CONTROL).send();
}
