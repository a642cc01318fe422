import type { Handlers, Handler } from '../../shared/messaging/handler/request.ts';
import {
  startRequestConsumer,
  type RequestConsumerOptions,
  type RequestConsumer,
} from '../../shared/messaging/handler/request-consumer.ts';
import type { TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { combineHealth } from '../../shared/platform/health.ts';
import { startTogether, stopInTurn, stopTogether } from '../../shared/messaging/start-stop-order.ts';
import type { RunningWorker, WorkerContext } from './worker.ts';
import type { WorkerCatalogue } from '../../shared/product/storage/catalogue-table.ts';
import { ACTIONS } from '../../shared/api/actions/actions.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import type { ScheduleCatalogue } from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import { createProblem } from '../../shared/platform/problem.ts';

const COMMON_TYPES = ['CatalogueRecord', 'ProblemReply'];

export interface CatalogueWorker<Opened extends WorkerCatalogue> {
  readonly name: string;
  /** Record names of its requests and replies. */
  readonly messageTypes: readonly string[];
  readonly deadLetterTopic: TopicKey;
  /** In the order of their start. */
  readonly lanes: readonly Pick<RequestConsumerOptions, 'lane' | 'requestTopic' | 'sliceMs'>[];
  readonly open: (context: WorkerContext, worker: string) => Promise<Opened>;
  /** Creates the handlers by the type of the request; they are called with valid requests only. */
  readonly createHandlers: (catalogue: Opened) => Handlers;
}

/** Reads the complete catalogue, then consumes requests on the lanes; stops in reverse. Stops everything again before it rejects. */
export async function startCatalogueWorker<Opened extends WorkerCatalogue>(
  context: WorkerContext,
  worker: CatalogueWorker<Opened>,
): Promise<RunningWorker> {
  const { name, deadLetterTopic } = worker;
  await context.codec.prepare([...worker.messageTypes, ...COMMON_TYPES]);
  const catalogue = await worker.open(context, name);
  const lanes: (readonly [RequestConsumerOptions['lane'], RequestConsumer])[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    await stopInTurn(
      [stopTogether(lanes.map(([, consumer]) => consumer)), catalogue],
      timeoutMs,
      context.monotonic,
    );
  };
  try {
    const handlers = checkedHandlers(worker.createHandlers(catalogue), catalogue.view);
    const startLane = async (own: CatalogueWorker<Opened>['lanes'][number]) => {
      const options = { worker: name, deadLetterTopic, handlers, ...own };
      return [own.lane, await startRequestConsumer(context, options)] as const;
    };
    await startTogether(worker.lanes.map(startLane), lanes);
  } catch (error) {
    await stop(0);
    throw error;
  }
  const health = () => {
    const ofLanes = lanes.map(([lane, running]) => [lane, running.health()] as const);
    return combineHealth({ ...Object.fromEntries(ofLanes), catalogue: catalogue.health() });
  };
  return { name, health, stop };
}

interface KnownNames {
  readonly lending: ScheduleCatalogue;
}

const REQUESTS = new Map(ACTIONS.map(({ requestType, request }) => [requestType, request]));

/**
 * Wraps handlers so that they receive valid requests only. Requests in JSON were validated when they were parsed; requests in Avro are
 * validated here by the reader of their action, and refused with all of their faults (E1, E3).
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
