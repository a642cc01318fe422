import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { createNameCheck } from '../../../shared/platform/host-names.ts';
import type { IngressContext } from './context.ts';
import { chooseCorrelationId } from './correlation-id.ts';
import { HTTP_LIMITS, type IngressOptions } from './http-limits.ts';
import { answerClientError, findFramingFault, refuseConnect, trackResponse } from './malformed-http.ts';
import { answerOtherMethods } from './other-methods.ts';
import { announcedLength, refuse, sendProblem } from './send-answer.ts';

/** The only path that accepts larger bodies. */
const EMAIL_ADDRESS = /\/email\/send(?:\?|$)/;

/**
 * The HTTP server without routes: limits, timeouts, correlation ids, the check of Host and Origin for all requests, and a
 * problem document for every failure (E1). Requests are not logged.
 *
 * Routes check their requests in `preHandler` hooks, in the listed order, and read bodies themselves: up to a limit, and
 * not at all if a hook has already responded.
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
  // As a method with a body, fastify would respond to it with 400 before it looks for a route.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.removeAllContentTypeParsers();
  // Fastify finds the parser of a type by name at once, and that of all others by parsing the header again.
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, (_request, _payload, done) => done(null));
  }
  app
    .decorateRequest('metricsLabel', 'other')
    .decorateRequest('abandoned', undefined)
    .decorateRequest('subject', '')
    .decorateRequest('scopes', undefined)
    .decorateRequest('caller', '')
    .decorateRequest('bodyBytes', 0)
    .decorateRequest('bodyValues', 0)
    .decorateRequest('bodyCost', 0);
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

/**
 * Routes declare no JSON schemas: contracts read the requests, and send-answer.ts writes the answers. Without these factories
 * fastify loads ajv and fast-json-stringify, which take 8 MiB.
 */
const NO_SCHEMAS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('a route must not declare a JSON schema');
}

/** A server with its limits and timeouts. */
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
    schemaController: { compilersFactory: NO_SCHEMAS },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      if (error.code === 'FST_ERR_BAD_URL') {
        return refuse(reply, 'invalid-request', { detail: 'The address is not a valid URL.' });
      }
      return refuse(reply, 'not-found');
    },
  });
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-correlation-id', request.id).header('x-content-type-options', 'nosniff');
}

/**
 * `Expect: 100-continue`: refuses a body that is too long before the client sends it. Ignores other expectations
 * (RFC 9110 section 10.1.1), since Node would respond with 417 and no body.
 */
function answerExpectations(app: FastifyInstance, limits: IngressOptions): void {
  app.server.on('checkContinue', (request, response) => {
    const isEmail = EMAIL_ADDRESS.test(request.url ?? '');
    const limitBytes = isEmail ? limits.emailBodyLimitBytes : limits.bodyLimitBytes;
    if ((announcedLength(request) ?? 0) <= limitBytes) response.writeContinue();
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** Handles errors of the framework (4xx) and bugs, which are logged with their stack; the response does not contain it. */
function answerError(error: FastifyError, reply: FastifyReply, log: IngressContext['log']): void {
  if (error.statusCode === 415) return refuse(reply, 'unsupported-media-type');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return refuse(reply, 'invalid-request');
  }
  log.error(
    { error: error.message, stack: error.stack, correlationId: reply.request.id },
    'a request failed',
  );
  refuse(reply, 'unexpected');
}
