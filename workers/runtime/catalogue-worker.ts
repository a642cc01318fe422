import type { Handlers } from '../../shared/messaging/handler/request.ts';
import {
  startRequestConsumer,
  type RequestConsumerOptions,
  type RequestConsumer,
} from '../../shared/messaging/handler/request-consumer.ts';
import type { TopicKey } from '../../shared/messaging/topics/topics.ts';
import { combineHealth } from '../../shared/platform/health.ts';
import { checkedHandlers } from './checked-handlers.ts';
import type { RunningWorker, WorkerContext } from './worker.ts';
import type { WorkerCatalogue } from '../../shared/catalogue/open-catalogue.ts';

/** Messages of every worker that answers from the catalogue. */
const COMMON_TYPES = ['CatalogueRecord', 'ProblemReply'];

/** What distinguishes one worker that answers from the catalogue. */
export interface CatalogueWorker<Opened extends WorkerCatalogue> {
  readonly name: string;
  /** Record names of its requests and replies. */
  readonly messageTypes: readonly string[];
  readonly deadLetterTopic: TopicKey;
  /** In the order in which they start. */
  readonly lanes: readonly Pick<RequestConsumerOptions, 'lane' | 'requestTopic' | 'sliceMs'>[];
  readonly open: (context: WorkerContext, worker: string) => Promise<Opened>;
  /** The handlers by the type of the request; they are called only with requests whose fields are valid. */
  readonly handlersOf: (catalogue: Opened) => Handlers;
}

/**
 * Starts a worker that answers from the catalogue: reads the whole of it, then consumes requests on its lanes and replies.
 * Rejects when it cannot begin; nothing is left running then. Lanes stop before the catalogue.
 */
export async function startCatalogueWorker<Opened extends WorkerCatalogue>(
  context: WorkerContext,
  worker: CatalogueWorker<Opened>,
): Promise<RunningWorker> {
  const { name, deadLetterTopic } = worker;
  await context.codec.prepare([...worker.messageTypes, ...COMMON_TYPES]);
  const catalogue = await worker.open(context, name);
  const lanes = new Map<RequestConsumerOptions['lane'], RequestConsumer>();
  const stop = async (timeoutMs: number): Promise<void> => {
    await Promise.all([...lanes.values()].map((lane) => lane.stop(timeoutMs)));
    await catalogue.stop(timeoutMs);
  };
  try {
    const handlers = checkedHandlers(worker.handlersOf(catalogue), catalogue.view);
    for (const own of worker.lanes) {
      lanes.set(
        own.lane,
        await startRequestConsumer(context, { worker: name, deadLetterTopic, handlers, ...own }),
      );
    }
  } catch (error) {
    await stop(0);
    throw error;
  }
  const health = () => {
    const ofLanes = [...lanes].map(([lane, running]) => [lane, running.health()] as const);
    return combineHealth({ ...Object.fromEntries(ofLanes), catalogue: catalogue.health() });
  };
  return { name, health, stop };
}
