import type { FastifyInstance, FastifyReply } from 'fastify';
import { productQuery, type ProductPage } from '../../../shared/api/operations/product-lists.ts';
import { readQuery } from '../../../shared/api/operations/operation-fields.ts';
import type { IngressContext } from '../server/context.ts';
import { matchesTag, weakTag, refuse, refuseFailed, sendJson } from '../server/send-answer.ts';
import { operatorHooks } from '../server/authentication.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type { FindTemplate } from '../../../shared/api/notification/fill-template.ts';
import { SystemError } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import { ProductDirectory, searchProducts } from './product-directory.ts';

export type OnDemandCatalogue = ReturnType<typeof createOnDemandCatalogue>;

type ProductRouteDeps = IngressContext & { readonly catalogue: OnDemandCatalogue };

type VersionParams = Readonly<Record<'code' | 'version', string>>;

const VERSION_NUMBER = /^[1-9]\d{0,9}$/;

/** Serves all versions of products, even those that look-ups do not return. Requires the scope `operations:read`. */
export function registerProducts(app: FastifyInstance, base: string, deps: ProductRouteDeps): void {
  const preHandler = operatorHooks(deps, 'operations-products', 'operations:read');
  const list = `${base}/products`;
  app.get(list, { preHandler }, async (request, reply) => {
    const read = readQuery(productQuery, request.query);
    if (read.kind === 'invalid') return refuse(reply, 'invalid-request', { errors: read.faults });
    await respond(deps, reply, async (directory): Promise<ProductPage> => {
      const isComplete = directory.isComplete();
      return { ...searchProducts(await directory.products(), read.fields), isComplete };
    });
  });
  const one = `${list}/:code`;
  app.get<{ Params: VersionParams }>(one, { preHandler }, async (request, reply) => {
    await respond(deps, reply, (directory) => directory.product(request.params.code));
  });
  app.get<{ Params: VersionParams }>(`${one}/versions/:version`, { preHandler }, async (request, reply) => {
    const { code, version: number } = request.params;
    await respond(deps, reply, (directory) =>
      VERSION_NUMBER.test(number) ? directory.version(code, Number(number)) : undefined,
    );
  });
}

/** How long a call waits for the first read: less than callers wait. */
const WAIT_MS = 10_000;
/** Time limit for reading the catalogue: 256 MiB, the most that is kept, at 4 MiB a second. */
const READ_LIMIT_MS = 64_000;
const STOP_MS = 2_000;

/** Reads the catalogue on the first call and then follows it. Ten thousand products take 65 MiB of memory. */
export function createOnDemandCatalogue(deps: IngressContext) {
  const { broker, options, timers } = deps;
  const topic = topicName(options.topicPrefix, 'catalogueRecords');
  let current: ProductDirectory | undefined;
  let opening: Promise<ProductDirectory | 'absent'> | undefined;
  const open = async (directory: ProductDirectory): Promise<ProductDirectory | 'absent'> => {
    // After a failure the next call tries again, even while another call still waits.
    const forget = (): void => {
      if (current === directory) current = undefined;
    };
    try {
      const counts = await broker.admin.partitionCounts([topic]);
      if (counts.has(topic)) {
        await directory.start();
        return directory;
      }
      forget();
      return 'absent';
    } catch (error) {
      forget();
      await directory.stop(0);
      throw error;
    }
  };
  return {
    /**
     * Resolves when the topic has been read; with `absent` if there is no topic, and with `reading` after 10 s. Rejects
     * with errors of the broker, or when stopped.
     */
    directory: async () => {
      if (current === undefined || opening === undefined) {
        const limits = { clientId: 'ingress-catalogue', catchUpTimeoutMs: READ_LIMIT_MS };
        current = new ProductDirectory({ ...deps, ...limits, topic });
        opening = open(current);
        opening.catch(() => undefined);
      }
      const waiting = new AbortController();
      const tooLong = sleep(timers, WAIT_MS, waiting.signal).then(() => 'reading' as const);
      try {
        return await Promise.race([opening, tooLong]);
      } finally {
        waiting.abort();
      }
    },
    stop: async () => {
      const stopped = current;
      current = undefined;
      await stopped?.stop(STOP_MS);
    },
  };
}

/** Resolves with a function that finds templates (N9), or with a sentence: why the catalogue cannot be read. */
export async function findTemplates({ catalogue, log }: ProductRouteDeps): Promise<FindTemplate | string> {
  try {
    const read = await catalogue.directory();
    if (typeof read === 'string') return NOT_READY[read];
    return read.isComplete() ? (code) => read.template(code) : UNREADABLE;
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    log.error({ code: error.code, reason: error.message }, UNREAD);
    return UNREADABLE;
  }
}

async function respond(
  { catalogue, log }: ProductRouteDeps,
  reply: FastifyReply,
  find: (directory: ProductDirectory) => Promise<object> | object | undefined,
): Promise<void> {
  try {
    const directory = await catalogue.directory();
    if (typeof directory === 'string') return refuse(reply, 'not-ready', { detail: NOT_READY[directory] });
    const found = await find(directory);
    if (found === undefined) return refuse(reply, 'unknown-product', { detail: UNKNOWN });
    sendTagged(reply, JSON.stringify(found));
  } catch (error) {
    refuseFailed(reply, { log, error, event: UNREAD, detail: UNREADABLE });
  }
}

const NOT_READY = {
  absent: 'The topic of the catalogue does not exist; create it with: npm run topics -- create',
  reading: 'This instance is still reading the catalogue.',
} as const;
const UNREAD = 'the catalogue could not be read';
const UNREADABLE = 'The catalogue cannot be read at the moment.';
const UNKNOWN = 'The catalogue has no product with this code, or no such version of it.';

/** Callers may keep the answer, but must ask each time whether it has changed. */
const CACHE_CONTROL = 'private, no-cache';

function sendTagged(reply: FastifyReply, json: string): void {
  const etag = weakTag(json);
  reply.header('etag', etag);
  if (!matchesTag(reply.request.headers['if-none-match'], etag))
    return sendJson(reply, 200, json, CACHE_CONTROL);
  reply.code(304).header('cache-control', CACHE_CONTROL).send();
}
