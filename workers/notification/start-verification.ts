import { VERIFICATIONS } from '../../shared/api/notification/verification-operations.ts';
import { startRequestConsumer } from '../../shared/messaging/handler/request-consumer.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import { combineHealth } from '../../shared/platform/health.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import type { SharedParts } from './shared-parts.ts';

const NO_SECRET = refused(
  createProblem('not-ready', { detail: 'Verification needs RESULT_ID_SECRET, which is not set.' }),
);

/** Starts the consumer of the requests of verifications (N10). */
export async function startVerification(context: WorkerContext, { verification }: SharedParts) {
  const refusals = VERIFICATIONS.map(({ requestType }) => [requestType, () => NO_SECRET] as const);
  const consumer = await startRequestConsumer(context, {
    worker: 'notification',
    lane: 'interactive',
    requestTopic: 'verificationRequests',
    deadLetterTopic: 'notificationDeadLetters',
    handlers: verification?.handlers ?? Object.fromEntries(refusals),
    isSecret: true,
  });
  return {
    ...consumer,
    health: () =>
      combineHealth({
        requests: consumer.health(),
        ...(verification && { events: verification.log.health() }),
      }),
  };
}
