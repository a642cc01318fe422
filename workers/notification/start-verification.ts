import { VERIFICATIONS } from '../../shared/api/notification/verification-operations.ts';
import { startRequestConsumer } from '../../shared/messaging/handler/request-consumer.ts';
import type { Handlers } from '../../shared/messaging/handler/request.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import { stopInTurn, stopTogether } from '../../shared/messaging/start-stop-order.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { repeat } from '../../shared/platform/system-ports.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import type { ProviderSet } from './providers/configured-providers.ts';
import { CHANNEL_TOPICS, type SharedParts } from './shared-parts.ts';
import { createVerificationLog } from './verification/verification-log.ts';
import { VerifyRequests } from './verification/verify-requests.ts';

/** Interval of the search for messages that failed and have a fallback. */
const FALLBACK_MS = 1_000;
const NO_SECRET = refused(
  createProblem('not-ready', { detail: 'Verification needs RESULT_ID_SECRET, which is not set.' }),
);

export interface RunningVerification {
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the consumer of the requests of verifications (N10). Leaves nothing running if it rejects. */
export async function startVerification(
  context: WorkerContext,
  shared: SharedParts,
  providers: ProviderSet,
): Promise<RunningVerification> {
  const { verification } = shared;
  if (verification === undefined) {
    const refusals = VERIFICATIONS.map(({ requestType }) => [requestType, () => NO_SECRET] as const);
    return consume(context, Object.fromEntries(refusals));
  }
  const publisher = context.broker.createPublisher({ clientId: 'notification-verification-events' });
  const topic = shared.topic('notificationVerifications');
  const events = createVerificationLog({ ...context, ...verification, publisher, topic, self: shared.self });
  const requests = new VerifyRequests({
    ...context,
    ...shared,
    ...verification,
    log: events,
    service: providers.verification,
    hasProvider: (channel) => providers.of(channel).length > 0,
    commandTopic: (channel) => shared.topic(CHANNEL_TOPICS[channel].urgent),
  });
  const fallBack = (): void => {
    requests.fallBack().catch((error: unknown) => {
      context.log.warn({ reason: errorText(error) }, 'a fallback of a verification is tried again');
    });
  };
  const parts = stopTogether([events, publisher]);
  try {
    await Promise.all([publisher.start(), events.start()]);
    const consumer = await consume(context, requests.handlers);
    const stopSearch = repeat(context.timers, fallBack, FALLBACK_MS);
    return {
      health: () => combineHealth({ requests: consumer.health(), events: events.health() }),
      stop: (timeoutMs) => {
        stopSearch();
        return stopInTurn([consumer, parts], timeoutMs, context.monotonic);
      },
    };
  } catch (error) {
    await parts.stop(0);
    throw error;
  }
}

function consume(context: WorkerContext, handlers: Handlers): Promise<RunningVerification> {
  const topics = {
    requestTopic: 'verificationRequests',
    deadLetterTopic: 'notificationDeadLetters',
  } as const;
  const consumer = { worker: 'notification', lane: 'interactive', handlers, isSecret: true } as const;
  return startRequestConsumer(context, { ...topics, ...consumer });
}
