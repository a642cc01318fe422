import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import type { Handlers } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { createSimulateHandler } from './handle-simulate.ts';

/** The handlers of this worker by the type of the request. */
export function createHandlers(
  catalogue: CatalogueView,
  environment: Pick<LendingEnvironment, 'calendars'>,
): Handlers {
  return { SimulateRequest: createSimulateHandler(catalogue, environment) };
}
