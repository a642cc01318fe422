import { ACTIONS } from '../../shared/contract/actions/actions.ts';
import type { Handler, Handlers } from '../../shared/messaging/handler/request.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import type { ScheduleCatalogue } from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import { createProblem } from '../../shared/platform/problem.ts';

/** The current catalogue, for the validation of names in requests. */
interface KnownNames {
  readonly lending: ScheduleCatalogue;
}

const REQUESTS = new Map(ACTIONS.map(({ requestType, request }) => [requestType, request]));

/**
 * Wraps handlers so that they receive valid requests only. Requests in JSON were validated when they were parsed; requests
 * in Avro are validated here by the contract of their action, and refused with all of their faults (E1, E3).
 */
export function checkedHandlers(handlers: Handlers, view: KnownNames): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([type, handler]) => [type, checkedHandler(type, handler, view)]),
  );
}

function checkedHandler(type: string, handler: Handler, view: KnownNames): Handler {
  const request = REQUESTS.get(type);
  if (request === undefined) throw new Error(`no action has requests of type ${type}`);
  return (payload, context) => {
    const wrong = context.format === 'avro' ? request.check(payload, view.lending) : undefined;
    if (wrong === undefined) return handler(payload, context);
    return refused(createProblem(wrong.problem, { errors: wrong.faults }));
  };
}
