import { ACTIONS } from '../../shared/contract/actions/actions.ts';
import type { Handler, Handlers } from '../../shared/messaging/handler/request.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import type { ScheduleCatalogue } from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import { createProblem } from '../../shared/platform/problem.ts';

/** What names in requests are validated with; the catalogue of the moment. */
interface KnownNames {
  readonly lending: ScheduleCatalogue;
}

const REQUESTS = new Map(ACTIONS.map(({ requestType, request }) => [requestType, request]));

/**
 * Handlers that see only requests whose fields are valid: what came in JSON was checked when it was read, what came in
 * Avro is checked here, by the contract of its action, and refused with all of its faults at once (E1, E3).
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
