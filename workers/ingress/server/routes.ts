import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  createActionHandler,
  findAction,
  refuseUnknownAction,
  type ActionHandlerDeps,
  type ActionRequest,
} from '../actions/action-handler.ts';
import { createResultHandler, type ResultHandlerDeps } from '../actions/result-route.ts';
import { refuse } from './send-answer.ts';

/** The action addresses of the interface (section 4). */
export function registerActions(app: FastifyInstance, basePath: string, deps: ActionHandlerDeps): void {
  const url = `${basePath}/platapi/automation-processors/actions/:action`;
  app.post(url, createActionHandler(deps));
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'POST'),
    url,
    handler: (request: ActionRequest, reply) => {
      if (findAction(deps.actions, request) === undefined) return refuseUnknownAction(deps, request, reply);
      answerOtherMethod(request, reply, 'POST, OPTIONS');
    },
  });
}

/** The addresses of results. */
export function registerResults(app: FastifyInstance, basePath: string, deps: ResultHandlerDeps): void {
  const url = `${basePath}/platapi/results/:id`;
  app.get(url, createResultHandler(deps));
  refuseWriting(app, url);
}

/** An address that is only read answers OPTIONS with 204 and Allow, other methods with 405 and Allow. */
export function refuseWriting(app: FastifyInstance, url: string): void {
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD'),
    url,
    handler: (request, reply) => answerOtherMethod(request, reply, 'GET, HEAD, OPTIONS'),
  });
}

/** An address that is only written to answers OPTIONS with 204 and Allow, other methods with 405 and Allow. */
export function refuseReading(app: FastifyInstance, url: string): void {
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'POST'),
    url,
    handler: (request, reply) => answerOtherMethod(request, reply, 'POST, OPTIONS'),
  });
}

/** What no route takes. */
export function registerNotFound(app: FastifyInstance, basePath: string): void {
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, 'not-found', { detail: `The documentation at ${basePath}/docs lists the addresses.` }),
  );
}

/** No CORS headers: pages of other sites are not let in. */
function answerOtherMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
  reply.header('allow', allow);
  if (request.method === 'OPTIONS') {
    reply.code(204).send();
    return;
  }
  refuse(reply, 'method-not-allowed', { detail: `Allowed are: ${allow}.` });
}
