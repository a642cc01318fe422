import type { AddressInfo } from 'node:net';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type preHandlerHookHandler,
} from 'fastify';
import underPressure from '@fastify/under-pressure';
import { createNameCheck } from '../../../shared/platform/host-names.ts';
import type { IngressContext } from './context.ts';
import { HTTP_LIMITS, type IngressOptions } from './http-limits.ts';
import { answerClientError, refuseConnect, trackResponse } from './malformed-http.ts';
import { announcedLength, refuse, sendProblem } from './send-answer.ts';

const EMAIL_ADDRESS = /\/email\/send(?:\?|$)/;

/**
 * The HTTP server without routes: limits, timeouts, correlation ids, the check of Host and Origin, and a problem
 * document for every failure (E1). It logs no requests. Routes check requests in `preHandler` hooks, in the listed
 * order, and read bodies themselves.
 */
export function createApp(
  options: IngressOptions,
  { traffic, log, newId }: Pick<IngressContext, 'traffic' | 'log' | 'newId'>,
): FastifyInstance {
  const app = createServer(options, newId);
  app.server.maxConnections = HTTP_LIMITS.connections;
  answerExpectations(app, options);
  app.server.prependListener('request', (_request, response) => trackResponse(response));
  app.server.on('connect', (_request, socket) => refuseConnect(socket));
  // If fastify expected a body of QUERY, it would respond with 400 before it looks for a route.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.removeAllContentTypeParsers();
  // Fastify finds the parser of a type by name at once, and that of all others by parsing the header again.
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, (_request, _payload, done) => done(null));
  }
  app
    .decorateRequest('metricsLabel', 'other')
    .decorateRequest('subject', '')
    .decorateRequest('scopes', undefined);
  const checkNames = createNameCheck(options);
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    traffic.observe(request, reply);
    const fault = findFramingFault(request.raw);
    if (fault !== undefined) {
      reply.header('connection', 'close');
      return refuse(reply, 'malformed-http', { detail: fault });
    }
    const problem = checkNames(request.headers);
    if (problem === undefined) return done();
    sendProblem(reply, problem);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, log));
  answerOtherMethods(app);
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called before the response to a method that this route's address does not support. May respond itself. */
    readonly beforeOtherMethods?: preHandlerHookHandler;
  }
}

interface Address {
  readonly path: RegExp;
  readonly methods: string[];
  readonly before: preHandlerHookHandler | undefined;
}

/** Responds to OPTIONS with 204, other methods with 405 and unknown paths with 404. Call it before the first route. */
function answerOtherMethods(app: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  app.addHook('onRoute', ({ url, method, config }) => {
    const before = config?.beforeOtherMethods;
    const address = addresses.get(url) ?? { path: pathOf(url), methods: [], before };
    addresses.set(url, address);
    address.methods.push(...[method].flat());
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const address = [...addresses.values()].find((one) => one.path.test(path));
    if (address === undefined)
      return refuse(reply, 'not-found', { detail: 'The documentation at /docs lists all paths.' });
    request.params = address.path.exec(path)?.groups;
    address.before?.call(app, request, reply, () => undefined);
    if (reply.sent) return undefined;
    const allow = [...address.methods.toSorted(), 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    // No CORS headers: pages of other sites are not admitted.
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return refuse(reply, 'method-not-allowed', { detail: `Allowed methods: ${allow}.` });
  });
}

/** Makes the server reachable at an address, and resolves with its port. Rejects when the address cannot be bound. */
export type Listen = (
  app: FastifyInstance,
  address: { readonly host: string; readonly port: number },
) => Promise<number>;

/** Listens on TCP sockets, with port 0 on any free one, and measures the delay of the event loop. */
export const listenOnSockets: Listen = async (app, { host, port }) => {
  await app.register(underPressure, { sampleInterval: 1_000 });
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
};

/** Visible ASCII without spaces, since the id is copied to a header, to logs and to problem documents. */
const VALID_ID = new RegExp(`^[\\x21-\\x7e]{1,${HTTP_LIMITS.correlationIdLength}}$`);
/** W3C Trace Context, 3.2.2: neither version ff nor ids of zeros only. */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The tracing id: `X-Correlation-Id`, or without one `X-Request-Id`, if it matches VALID_ID; otherwise a new UUID. */
export function chooseCorrelationId(headers: IncomingHttpHeaders, newId: () => string): string {
  return sentId(headers) ?? newId();
}

/** The correlation id for Kafka. A UUID is appended to a sent id, since two callers may send the same one. */
export function createLogCorrelationId(
  headers: IncomingHttpHeaders,
  correlationId: string,
  newId: () => string,
): string {
  return sentId(headers) === undefined ? correlationId : `${correlationId}.${newId()}`;
}

/** `{ traceParent }` if the caller sent a valid one, otherwise `{}`. */
export function readTraceContext({ traceparent }: IncomingHttpHeaders): { readonly traceParent?: string } {
  const isValid = typeof traceparent === 'string' && TRACE_PARENT.test(traceparent);
  return isValid ? { traceParent: traceparent } : {};
}

/** Finds framing that Node accepts but that may allow request smuggling (RFC 9112 sections 3.2 and 6.1). */
function findFramingFault(request: IncomingMessage): string | undefined {
  if (request.httpVersionMajor !== 1) return 'Send HTTP/1.1.';
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'The only transfer coding is chunked.';
    if (request.httpVersionMinor === 0) return 'HTTP/1.0 has no transfer coding.';
  }
  // `headers` has only the first of several Host headers.
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) return 'Send one Host header.';
  return hosts === 0 && request.httpVersionMinor > 0 ? 'Send a Host header.' : undefined;
}

function refuseSchema(): never {
  throw new Error('a route must not declare a JSON schema');
}

function createServer(options: IngressOptions, newId: () => string): FastifyInstance {
  return fastify({
    logger: false,
    genReqId: (request) => chooseCorrelationId(request.headers, newId),
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: options.replyTimeoutMs + options.stalledResponseMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    http: {
      maxHeaderSize: HTTP_LIMITS.headerBytes,
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: options.timeoutCheckMs,
      // `findFramingFault` checks it instead, since Node responds without a body (E1).
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameterLength },
    return503OnClosing: false,
    // Without these factories fastify loads ajv and fast-json-stringify, which take 8 MiB.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      if (error.code === 'FST_ERR_BAD_URL')
        return refuse(reply, 'invalid-request', { detail: 'The address is not a valid URL.' });
      return refuse(reply, 'not-found');
    },
  });
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-correlation-id', request.id).header('x-content-type-options', 'nosniff');
}

/** Sends no 100 Continue for an overlong body, and ignores other expectations, to which Node would send a bare 417. */
function answerExpectations(app: FastifyInstance, limits: IngressOptions): void {
  app.server.on('checkContinue', (request, response) => {
    const isEmail = EMAIL_ADDRESS.test(request.url ?? '');
    const limitBytes = isEmail ? limits.emailBodyLimitBytes : limits.bodyLimitBytes;
    if ((announcedLength(request) ?? 0) <= limitBytes) response.writeContinue();
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

function answerError(error: FastifyError, reply: FastifyReply, log: IngressContext['log']): void {
  if (error.statusCode === 415) return refuse(reply, 'unsupported-media-type');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return refuse(reply, 'invalid-request');
  const { message, stack } = error;
  log.error({ error: message, stack, correlationId: reply.request.id }, 'a request failed');
  refuse(reply, 'unexpected');
}

function pathOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part.replaceAll('.', String.raw`\.`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

function sentId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-correlation-id'] ?? headers['x-request-id'];
  return typeof id === 'string' && VALID_ID.test(id) ? id : undefined;
}
