import type { FastifyInstance } from 'fastify';
import { sharedDeadLetterLog } from '../../../shared/dead-letters/dead-letter-log.ts';
import type { IngressContext } from '../server/context.ts';
import type { NotificationFeed } from '../notifications/notification-feed.ts';
import type { NotificationKeys } from '../notifications/idempotency.ts';
import { createDeadLetterCalls } from './running-dead-letter-calls.ts';
import { registerDeadLetters } from './dead-letter-routes.ts';
import { registerNotificationSearch } from './notification-routes.ts';
import { registerOutboxMessages, type OutboxReader } from './outbox-routes.ts';
import { createOnDemandCatalogue, registerProducts } from './product-routes.ts';

export interface OperationsDeps extends IngressContext {
  readonly feed: NotificationFeed;
  readonly keys: NotificationKeys;
  readonly outbox: OutboxReader | undefined;
  /** The secret of the result ids. */
  readonly resultSecret: string;
}

/** The operations part of an ingress instance. */
export interface Operations {
  stop(): Promise<void>;
}

/** Registers the addresses for operators: notifications, dead letters, the local outbox and the catalogue. */
export function registerOperations(app: FastifyInstance, deps: OperationsDeps): Operations {
  const base = '/api/operations/v1';
  const log = sharedDeadLetterLog(deps.broker);
  registerNotificationSearch(app, base, deps);
  const calls = createDeadLetterCalls({ ...deps, letters: log, proofs: deps.keys.commands });
  registerDeadLetters(app, base, { ...deps, calls });
  registerOutboxMessages(app, base, deps);
  const catalogue = createOnDemandCatalogue(deps);
  registerProducts(app, base, { ...deps, catalogue });
  return {
    stop: async () => {
      await Promise.all([log.close(), catalogue.stop()]);
    },
  };
}
