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

interface CatalogueWorker<Opened extends WorkerCatalogue> {
  readonly name: 'schedule' | 'product' | 'simulation';
  /** Message types whose schemas are prepared besides those of the actions on its topics. */
  readonly furtherTypes?: readonly string[];
  readonly lanes: readonly Pick<RequestConsumerOptions, 'lane' | 'requestTopic' | 'sliceMs'>[];
  readonly open: (context: WorkerContext, worker: string) => Promise<Opened>;
  readonly createHandlers: (catalogue: Opened) => Handlers;
}

/** Reads the complete catalogue, then consumes requests on the lanes. Leaves nothing running if it rejects. */
export async function startCatalogueWorker<Opened extends WorkerCatalogue>(
  context: WorkerContext,
  worker: CatalogueWorker<Opened>,
): Promise<RunningWorker> {
  const { name, furtherTypes = [] } = worker;
  const topics = new Set<TopicKey>(worker.lanes.map(({ requestTopic }) => requestTopic));
  const actions = ACTIONS.filter(({ topic }) => topics.has(topic));
  const types = actions.flatMap(({ requestType, replyType }) => [requestType, replyType]);
  await context.codec.prepare([...types, ...furtherTypes, 'CatalogueRecord', 'ProblemReply']);
  const catalogue = await worker.open(context, name);
  const lanes: (readonly [RequestConsumerOptions['lane'], RequestConsumer])[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    const inTurn = [stopTogether(lanes.map(([, consumer]) => consumer)), catalogue];
    await stopInTurn(inTurn, timeoutMs, context.monotonic);
  };
  try {
    const handlers = checkedHandlers(worker.createHandlers(catalogue), catalogue.view);
    const startLane = async (own: CatalogueWorker<Opened>['lanes'][number]) => {
      const deadLetterTopic = `${name}DeadLetters` as const;
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

const REQUESTS = new Map(ACTIONS.map(({ requestType, request }) => [requestType, request]));

/**
 * Wraps handlers so that they receive only valid requests. JSON was validated when it was parsed. Requests in Avro are
 * checked here, and refused with their faults (E1, E3).
 */
export function checkedHandlers(handlers: Handlers, view: { readonly lending: ScheduleCatalogue }): Handlers {
  const checked = Object.entries(handlers).map(([type, handler]): [string, Handler] => {
    const request = REQUESTS.get(type);
    if (request === undefined) throw new Error(`no action has requests of type ${type}`);
    const checkedHandler: Handler = (payload, context) => {
      const wrong = context.format === 'avro' ? request.check(payload, view.lending) : undefined;
      if (wrong === undefined) return handler(payload, context);
      return refused(createProblem(wrong.problem, { errors: wrong.faults }));
    };
    return [type, checkedHandler];
  });
  return Object.fromEntries(checked);
}
