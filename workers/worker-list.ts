import type { StartWorker } from './runtime/worker.ts';
import type { TopicKey } from '../shared/messaging/topics/topics.ts';

/** A worker that this process can start: where its code is (loaded only when asked for) and the topics it cannot do without. */
export interface WorkerEntry {
  readonly load: () => Promise<{ start: StartWorker }>;
  readonly topics: readonly TopicKey[];
  /** It needs the topics of the configured retry tiers too. */
  readonly retryTiers?: true;
}

/** All workers by name, in the order of their start: consumers first, so that the ingress finds them listening. */
export const WORKERS = {
  schedule: {
    load: () => import('./schedule/main.ts'),
    topics: ['scheduleRequests', 'scheduleBulkRequests', 'scheduleDeadLetters', 'catalogueRecords'],
  },
  product: {
    load: () => import('./product/main.ts'),
    topics: ['productRequests', 'productDeadLetters', 'catalogueRecords'],
  },
  simulation: {
    load: () => import('./simulation/main.ts'),
    topics: ['simulationRequests', 'simulationDeadLetters', 'catalogueRecords'],
  },
  notification: {
    load: () => import('./notification/main.ts'),
    topics: [
      'smsCommands',
      'emailCommands',
      'notificationHold',
      'notificationOutcomes',
      'notificationDeadLetters',
    ],
    retryTiers: true,
  },
  ingress: {
    load: () => import('./ingress/main.ts'),
    topics: [
      'scheduleRequests',
      'productRequests',
      'simulationRequests',
      'ingressReplies',
      'ingressResults',
      'smsCommands',
      'emailCommands',
      'notificationAcceptances',
      'notificationOutcomes',
    ],
  },
} as const satisfies Record<string, WorkerEntry>;

export type WorkerName = keyof typeof WORKERS;
export const WORKER_NAMES = Object.keys(WORKERS) as readonly WorkerName[];
