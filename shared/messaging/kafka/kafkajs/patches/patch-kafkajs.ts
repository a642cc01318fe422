import { setImmediate as nextTurn } from 'node:timers/promises';
import { guardConnections } from './broken-responses.ts';
import { fetchListeners, reportFetchAnswers } from './fetch-listeners.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';
import { reportProduceAnswers } from './produce-answers.ts';

/** Fixes bugs of kafkajs for the whole process. Idempotent. Throws when its version differs from package.json. */
export function patchKafkajs(): void {
  measureElapsedTime();
  stopIdlePolling();
  checkTimeoutsWhenDue();
  reportProduceAnswers();
  reportFetchAnswers();
  guardConnections();
  endStoppedFetches();
  probeCoordinators();
}

/** The properties in which kafkajs keeps a time for a later comparison with Date.now(), by the module of their class. */
const KEPT_TIMES = {
  'consumer/consumerGroup': ['lastRequest'],
  'network/requestQueue': ['throttledUntil'],
  'network/requestQueue/socketRequest': ['createdAt', 'sentAt'],
  'cluster/brokerPool': ['metadataExpireAt'],
} as const;

/**
 * kafkajs compares times of the system clock. When it is set back, a member sends no heartbeat and is expelled, a throttled
 * connection sends nothing, requests do not time out, and metadata is not refreshed, all for as long as the step. Here these
 * properties move with the system clock, so that what has elapsed or remains does not change with it.
 */
export function measureElapsedTime(): void {
  for (const [path, names] of Object.entries(KEPT_TIMES)) {
    const { prototype } = kafkajsModule(path) as { readonly prototype: object };
    for (const name of names) {
      const elapsed = new WeakMap<object, number | null>();
      Object.defineProperty(prototype, name, {
        configurable: true,
        get(this: object) {
          const kept = elapsed.get(this);
          return typeof kept === 'number' ? kept - performance.now() + Date.now() : kept;
        },
        set(this: object, time: number | null) {
          elapsed.set(this, time === null ? null : time - Date.now() + performance.now());
        },
      });
    }
  }
}

interface RequestQueue {
  readonly pending: readonly unknown[];
}

interface RequestQueueClass {
  readonly prototype: { scheduleCheckPendingRequests: (this: RequestQueue) => void };
}

/**
 * kafkajs sets a timer after each response to check for queued requests, and each such timer sets the next one: from
 * its first response on, every connection wakes the process a thousand times a second (and warns about a negative
 * timeout, tulios/kafkajs#1751). With three idle clients that is 4 % of a core. Here the timer is set only while a
 * request is queued.
 */
export function stopIdlePolling(): void {
  const { prototype } = kafkajsModule('network/requestQueue') as RequestQueueClass;
  replaceFunction(prototype, 'scheduleCheckPendingRequests', function scheduleWhilePending(schedule) {
    if (this.pending.length > 0) schedule.call(this);
  });
}

interface SocketRequest {
  /** Epoch milliseconds of the system clock as it is set (measureElapsedTime). */
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

interface TimedQueue {
  readonly inflight: ReadonlyMap<number, SocketRequest>;
  readonly pending: readonly SocketRequest[];
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  destroy(): void;
  /** kafkajs clears it in destroy(). */
  requestTimeoutIntervalId?: NodeJS.Timeout | undefined;
  /** When the timer fires, by performance.now(); undefined until the connection is established. */
  timeoutCheckAtMs?: number;
}

interface TimedQueueClass {
  readonly prototype: {
    scheduleRequestTimeoutCheck: (this: TimedQueue) => void;
    push: (this: TimedQueue, request: { readonly requestTimeout?: number | null }) => void;
  };
}

/**
 * kafkajs looks for overdue requests ten times a second on each of its connections, of which a process has a dozen. Here the
 * timer of a connection is set to the time at which its first request may be overdue: once in some seconds, since that request
 * has usually been answered by then.
 */
export function checkTimeoutsWhenDue(): void {
  const { prototype } = kafkajsModule('network/requestQueue') as TimedQueueClass;
  replaceFunction(prototype, 'scheduleRequestTimeoutCheck', function startChecks() {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    setTimeoutCheck(this);
  });
  replaceFunction(prototype, 'push', function pushAndCheck(push, request) {
    push.call(this, request);
    if (this.timeoutCheckAtMs === undefined) return;
    checkTimeoutsIn(this, Math.max(this.requestTimeout, request.requestTimeout ?? 0) + 1);
  });
}

/** Sets the timer to the first time at which a request may be overdue; queued ones are sent now at the earliest. */
function setTimeoutCheck(queue: TimedQueue): void {
  queue.timeoutCheckAtMs = Number.POSITIVE_INFINITY;
  for (const { sentAt, requestTimeout } of queue.inflight.values())
    checkTimeoutsIn(queue, sentAt - Date.now() + requestTimeout + 1);
  for (const { requestTimeout } of queue.pending) checkTimeoutsIn(queue, requestTimeout + 1);
}

function checkTimeoutsIn(queue: TimedQueue, delayMs: number): void {
  const atMs = performance.now() + delayMs;
  if (atMs >= (queue.timeoutCheckAtMs ?? 0)) return;
  clearTimeout(queue.requestTimeoutIntervalId);
  queue.timeoutCheckAtMs = atMs;
  queue.requestTimeoutIntervalId = setTimeout(() => endOverdue(queue), Math.max(1, delayMs));
}

function endOverdue(queue: TimedQueue): void {
  for (const request of queue.inflight.values()) {
    if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
  }
  setTimeoutCheck(queue);
}

interface Runner {
  readonly running: boolean;
  heartbeat(): Promise<void>;
}

interface RunnerClass {
  readonly prototype: { fetch: (this: Runner, nodeId: string) => Promise<unknown> };
}

/**
 * The fetch manager of kafkajs may start new fetchers after the consumer was stopped: when the set of brokers has changed, it
 * waits for the fetcher of a silent broker and does not check afterwards whether it was stopped meanwhile. A fetch of a stopped
 * consumer returns an empty result immediately, and the fetcher repeats it forever without a turn of the event loop, so no
 * timer, signal handler or health check runs. Here such a fetch fails, which ends the fetcher and with it the manager. Each
 * fetch also starts with a turn of the event loop, so that no loop of fetches can block it. The turn is before the positions
 * are read: after the response, it would let an old response into a new generation (FetchGate). The listener of the fetches gets
 * the function that sends heartbeats, which kafkajs offers only to the handler of a batch.
 */
function endStoppedFetches(): void {
  const { prototype } = kafkajsModule('consumer/runner') as RunnerClass;
  replaceFunction(prototype, 'fetch', async function fetchWhileRunning(fetch, nodeId) {
    if (!this.running) throw new Error('the consumer is stopped');
    const listener = fetchListeners.getStore();
    if (listener !== undefined) listener.heartbeat ??= () => this.heartbeat();
    await nextTurn();
    return fetch.call(this, nodeId);
  });
}

interface Coordinator {
  apiVersions(): Promise<unknown>;
}

interface CoordinatorClass {
  readonly prototype: { joinGroup: (this: Coordinator, options: unknown) => Promise<unknown> };
}

/**
 * kafkajs waits for the response to a JoinGroup request for the rebalance timeout and 5 s, since a rebalance may take that long.
 * A frozen coordinator does not respond either, although its group has another one a few seconds later. Here it first has to
 * respond to an ApiVersions request, which times out like any other; the member then looks for its coordinator again.
 */
function probeCoordinators(): void {
  const { prototype } = kafkajsModule('broker/index') as CoordinatorClass;
  replaceFunction(prototype, 'joinGroup', async function joinIfResponsive(joinGroup, options) {
    await this.apiVersions();
    return joinGroup.call(this, options);
  });
}
