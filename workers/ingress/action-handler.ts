import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from './access/access.ts';
import { credentialsOf } from './access/request-credentials.ts';
import type { ActionContract, ActionRegistry } from './action-contract.ts';
import { admit, type AdmissionDeps } from './admission.ts';
import { isReadableContent } from './content-type.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { UNLIMITED } from './rate-limit.ts';
import { announcedLength, announcesBody, readBody } from './read-body.ts';
import { refuse, sendProblem } from './send-answer.ts';
import type { TrafficGate } from './traffic-gate.ts';

/** A request that was let in and read. */
export interface AcceptedAction {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly action: ActionContract;
  readonly subject: string;
  /** The parsed body in the direct or the generic form. */
  readonly body: unknown;
}

export interface ActionHandlerDeps extends AdmissionDeps {
  readonly actions: ActionRegistry;
  readonly gate: TrafficGate;
  readonly basePath: string;
  readonly bodyLimitBytes: number;
  /** Takes the request from here and answers it. */
  readonly accept: (accepted: AcceptedAction) => void;
}

export type ActionRequest = FastifyRequest<{ Params: { action: string } }>;

/** The action of the address, in any case of its name (E4). */
export function findAction(actions: ActionRegistry, request: ActionRequest): ActionContract | undefined {
  return actions.get(request.params.action.toLowerCase());
}

/**
 * POST of an action: the checks in the order of their cost, then the body, then `accept`. A caller with a bearer token
 * is judged before the body is read; one that sends its token in the generic form after.
 */
export function createActionHandler(deps: ActionHandlerDeps) {
  return (request: ActionRequest, reply: FastifyReply): void => {
    const action = findAction(deps.actions, request);
    if (action === undefined) return refuseUnknownAction(reply, deps.basePath);
    request.figures = action.name;
    if (deps.gate.state() !== 'open') return refuseNotReady(reply, deps.gate);
    if (!acceptHeaders(deps, request, reply)) return;
    const bearer = bearerToken(request.headers.authorization);
    if (bearer === undefined && deps.access.required) {
      readJson(deps, request, reply, (body) => {
        const credentials = credentialsOf(undefined, body);
        admit(deps, { request, reply, credentials }, (subject) =>
          deps.accept({ request, reply, action, subject, body }),
        );
      });
      return;
    }
    admit(deps, { request, reply, credentials: { token: bearer, userName: undefined } }, () => {
      readJson(deps, request, reply, (body) => {
        // Counted already; a user_name beside the bearer token still has to be the token's own.
        const confirmation = { access: deps.access, rateLimit: UNLIMITED };
        const credentials = credentialsOf(request.headers.authorization, body);
        admit(confirmation, { request, reply, credentials }, (subject) =>
          deps.accept({ request, reply, action, subject, body }),
        );
      });
    });
  };
}

export function refuseUnknownAction(reply: FastifyReply, basePath: string): void {
  refuse(reply, 'unknown-action', { detail: `The documentation at ${basePath}/docs lists the actions.` });
}

function refuseNotReady(reply: FastifyReply, gate: TrafficGate): void {
  if (gate.state() === 'draining') reply.header('connection', 'close');
  const detail =
    gate.state() === 'draining' ? 'This instance is shutting down.' : 'This instance is still starting.';
  refuse(reply, 'not-ready', { detail });
}

/** Refuses by the headers alone: nothing announced, another media type, too long (E1). */
function acceptHeaders(deps: ActionHandlerDeps, request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers, raw } = request;
  if (!announcesBody(raw)) {
    refuse(reply, 'empty-body', { detail: 'Send a JSON object as the body.' });
    return false;
  }
  if (!isReadableContent(headers['content-type'], headers['content-encoding'])) {
    reply.header('accept-post', 'application/json');
    refuse(reply, 'unsupported-media-type', {
      detail: 'Send application/json in UTF-8 without content encoding.',
    });
    return false;
  }
  if ((announcedLength(raw) ?? 0) > deps.bodyLimitBytes) {
    refuseTooLarge(reply, deps.bodyLimitBytes);
    return false;
  }
  return true;
}

function refuseTooLarge(reply: FastifyReply, limitBytes: number): void {
  refuse(reply, 'body-too-large', { detail: `A body may have ${limitBytes} bytes at most.` });
}

function readJson(
  deps: ActionHandlerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  then: (body: unknown) => void,
): void {
  readBody(request.raw, deps.bodyLimitBytes, (outcome) => {
    try {
      if (outcome.kind === 'too-large') return refuseTooLarge(reply, deps.bodyLimitBytes);
      if (outcome.kind === 'aborted') return;
      const parsed = parseJsonBody(outcome.bytes);
      if (parsed.kind === 'refused') sendProblem(reply, parsed.problem);
      else then(parsed.body);
    } catch (error) {
      // Thrown in a socket's event: nobody above would answer it.
      reply.send(error);
    }
  });
}
