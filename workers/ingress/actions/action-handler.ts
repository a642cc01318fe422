import type { FastifyReply, FastifyRequest } from 'fastify';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import { bearerToken } from '../access/access.ts';
import { credentialsOf } from '../access/request-credentials.ts';
import type { ActionContract, ActionRegistry } from './action-contract.ts';
import { addressOf, admit, countBody, type AdmissionDeps } from '../server/admission.ts';
import { acceptHeaders, readJson, refuseNotReady } from '../server/json-request.ts';
import { UNLIMITED } from '../server/rate-limit.ts';
import { refuse } from '../server/send-answer.ts';
import type { TrafficGate } from '../server/traffic-gate.ts';

/** A request that was let in and read. */
export interface AcceptedAction {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly action: ActionContract;
  readonly subject: string;
  /** Who the rate limit counts it for. */
  readonly caller: string;
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
    if (action === undefined) return refuseUnknownAction(deps, request, reply);
    request.figures = action.name;
    if (deps.gate.state() !== 'open') return refuseNotReady(reply, deps.gate);
    if (!acceptHeaders(deps.bodyLimitBytes, request, reply)) return;
    const bearer = bearerToken(request.headers.authorization);
    if (bearer === undefined && deps.access.required) {
      let sender = addressOf(request);
      const done = (bytes: number) => countBody(deps, sender, bytes);
      readJson({ limitBytes: deps.bodyLimitBytes, done }, request, reply, (body) => {
        const credentials = credentialsOf(undefined, body);
        admit(deps, { request, reply, credentials }, (subject, caller) => {
          sender = caller;
          deps.accept({ request, reply, action, subject, caller, body });
        });
      });
      return;
    }
    admit(deps, { request, reply, credentials: { token: bearer, userName: undefined } }, (_, sender) => {
      const done = (bytes: number) => countBody(deps, sender, bytes);
      readJson({ limitBytes: deps.bodyLimitBytes, done }, request, reply, (body) => {
        // Counted already; a user_name beside the bearer token still has to be the token's own.
        const confirmation = { access: deps.access, rateLimit: UNLIMITED };
        const credentials = credentialsOf(request.headers.authorization, body);
        admit(confirmation, { request, reply, credentials }, (subject, caller) =>
          deps.accept({ request, reply, action, subject, caller, body }),
        );
      });
    });
  };
}

/** Names the action that was probably meant. */
export function refuseUnknownAction(
  { actions, basePath }: Pick<ActionHandlerDeps, 'actions' | 'basePath'>,
  request: ActionRequest,
  reply: FastifyReply,
): void {
  const names = [...actions.values()].map(({ name }) => name);
  const nearest = nearestName(request.params.action, names);
  const hint = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  refuse(reply, 'unknown-action', {
    detail: `${hint}The documentation at ${basePath}/docs lists the actions.`,
  });
}
