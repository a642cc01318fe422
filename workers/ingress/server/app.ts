import { METHODS } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { createNameCheck } from '../../../shared/platform/host-names.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { answerClientError, refuseConnect } from './malformed-http.ts';
import { correlationIdOf } from './correlation-id.ts';
import { HTTP_LIMITS } from './http-limits.ts';
import type { HttpMetrics } from './traffic.ts';
import type { IngressOptions } from './ingress-options.ts';
import { framingFault } from './framing-fault.ts';
import type { OpenAnswers } from './open-answers.ts';
import { announcedLength } from './json-body.ts';
import { refuse, sendProblem } from './send-answer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Label `action` of the request figures: an action's own name, or the kind of address. Never made up by callers. */
    figures: string;
    /** Called when the caller went away before it was answered. */
    abandoned: (() => void) | undefined;
  }
}

/** The one address that takes longer bodies. */
const EMAIL_ADDRESS = /\/email\/send(?:\?|$)/;

/** Status of requests whose caller went away, in the figures only. */
const ABANDONED = 499;

type AppOptions = Pick<
  IngressOptions,
  | 'host'
  | 'allowedHosts'
  | 'stalledAnswerMs'
  | 'headersTimeoutMs'
  | 'requestTimeoutMs'
  | 'keepAliveTimeoutMs'
  | 'replyTimeoutMs'
  | 'bodyLimitBytes'
  | 'emailBodyLimitBytes'
>;

/**
 * The bare HTTP server: limits, time-outs, correlation ids, the check of Host and Origin that every address goes
 * through, and a problem document for whatever goes wrong (E1). Nothing is logged per request; bodies are read by the
 * routes themselves.
 */
export function createApp(
  options: AppOptions,
  deps: { log: Log; metrics: HttpMetrics; answers: OpenAnswers },
): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: (request) => correlationIdOf(request.headers),
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: options.replyTimeoutMs + options.stalledAnswerMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    http: {
      maxHeaderSize: HTTP_LIMITS.headerBytes,
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: HTTP_LIMITS.timeoutCheckMs,
      // Checked here instead, since Node's own refusal has no body (E1).
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameterLength },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      describe(request, reply);
      if (error.code === 'FST_ERR_BAD_URL') {
        return refuse(reply, 'invalid-request', { detail: 'The address is not a valid URL.' });
      }
      return refuse(reply, 'not-found');
    },
  });
  app.server.maxConnections = HTTP_LIMITS.connections;
  answerExpectations(app, options);
  app.server.on('connect', (_request, socket) => refuseConnect(socket));
  takeEveryMethod(app);
  // Bodies stay on the socket for the routes: read with a limit, and not at all where the answer is known before.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('figures', 'other');
  app.decorateRequest('abandoned', undefined);
  const checkNames = createNameCheck(options);
  app.addHook('onRequest', (request, reply, done) => {
    describe(request, reply);
    deps.metrics.started();
    deps.answers.add(reply.raw);
    const startedAtMs = performance.now();
    // Unlike the framework's onResponse this comes also when the caller went away.
    reply.raw.once('close', () => {
      deps.answers.delete(reply.raw);
      const answered = reply.raw.writableFinished;
      deps.metrics.finished(request.figures, answered ? reply.statusCode : ABANDONED, startedAtMs);
      if (!answered) request.abandoned?.();
    });
    const fault = framingFault(request.raw);
    if (fault !== undefined) {
      reply.header('connection', 'close');
      return refuse(reply, 'malformed-http', { detail: fault });
    }
    const foreign = checkNames(request.headers);
    if (foreign === undefined) return done();
    sendProblem(reply, foreign);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, deps.log));
  return app;
}

function describe(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-correlation-id', request.id).header('x-content-type-options', 'nosniff');
}

/**
 * `Expect: 100-continue`: a body that is too long is refused before it is sent. Other expectations are passed over
 * (RFC 9110 section 10.1.1); Node's own 417 has no body.
 */
function answerExpectations(app: FastifyInstance, limits: AppOptions): void {
  app.server.on('checkContinue', (request, response) => {
    const isEmail = EMAIL_ADDRESS.test(request.url ?? '');
    const limitBytes = isEmail ? limits.emailBodyLimitBytes : limits.bodyLimitBytes;
    if ((announcedLength(request) ?? 0) <= limitBytes) response.writeContinue();
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** The routes refuse methods that they do not take (405), the rare ones of HTTP included. */
function takeEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/** The framework's own refusals, and bugs: those are logged with their stack, and answered without it. */
function answerError(error: FastifyError, reply: FastifyReply, log: Log): void {
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
