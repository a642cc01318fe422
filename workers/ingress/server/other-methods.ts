import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { refuse } from './send-answer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called before the answer to a method that the address of this route does not support; may have answered itself. */
    readonly beforeOtherMethods?: preHandlerHookHandler;
  }
}

/** The routes of one address, as the pattern of fastify: `:name` is a segment, `*` the rest. */
interface Address {
  readonly path: RegExp;
  readonly methods: string[];
  readonly before: preHandlerHookHandler | undefined;
}

/**
 * Responds to requests without a route: to OPTIONS with 204 and Allow and to every other method with 405 and Allow if their address
 * has a route, otherwise with 404. Sends no CORS headers: pages of other sites are not admitted. To be called before the first route.
 */
export function answerOtherMethods(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method, config }) => {
    const address = addresses.get(url) ?? {
      path: pathOf(url),
      methods: [],
      before: config?.beforeOtherMethods,
    };
    addresses.set(url, address);
    address.methods.push(...[method].flat());
  });
  const find = (request: FastifyRequest): Address | undefined => {
    const [path = ''] = request.url.split('?', 1);
    for (const address of addresses.values()) {
      const match = address.path.exec(path);
      if (match === null) continue;
      request.params = match.groups;
      return address;
    }
    return undefined;
  };
  app.setNotFoundHandler((request, reply) => {
    const address = find(request);
    if (address === undefined) {
      return refuse(reply, 'not-found', { detail: 'The documentation at /docs lists all paths.' });
    }
    address.before?.call(app, request, reply, () => undefined);
    if (reply.sent) return undefined;
    const allow = [...address.methods.toSorted(), 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return refuse(reply, 'method-not-allowed', { detail: `Allowed methods: ${allow}.` });
  });
}

function pathOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part.replaceAll('.', String.raw`\.`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}
