import type { StartWorker } from './runtime/worker.ts';
import type { TopicKey } from '../shared/messaging/topics/topic-list.ts';

/** `topics` must exist. `load` imports the code of the worker, so that a process loads only that of its workers. */
export interface WorkerEntry {
  readonly load: () => Promise<StartWorker>;
  readonly topics: readonly TopicKey[];
  readonly retryTiers?: true;
}

const COMMANDS = ['smsCommands', 'emailCommands', 'smsUrgentCommands', 'emailUrgentCommands'] as const;

/** All workers by name. The ingress starts last, when the consumers are running. */
export const WORKERS = {
  schedule: {
    load: async () => (await import('./schedule/main.ts')).startScheduleWorker,
    topics: ['scheduleRequests', 'scheduleBulkRequests', 'scheduleDeadLetters', 'catalogueRecords'],
  },
  product: {
    load: async () => (await import('./product/main.ts')).startProductWorker,
    topics: ['productRequests', 'productDeadLetters', 'catalogueRecords'],
  },
  simulation: {
    load: async () => (await import('./simulation/main.ts')).startSimulationWorker,
    topics: ['simulationRequests', 'simulationDeadLetters', 'catalogueRecords'],
  },
  notification: {
    load: async () => (await import('./notification/main.ts')).start,
    topics: [
      ...COMMANDS,
      'notificationCallbacks',
      'notificationHold',
      'notificationUsage',
      'notificationSuppressions',
      'notificationOutcomes',
      'notificationDeadLetters',
    ],
    retryTiers: true,
  },
  ingress: {
    load: async () => (await import('./ingress/main.ts')).startIngressWorker,
    topics: [
      'scheduleRequests',
      'productRequests',
      'simulationRequests',
      'ingressReplies',
      'ingressResults',
      ...COMMANDS,
      'notificationAcceptances',
      'notificationUsage',
      'notificationSuppressions',
      'notificationOutcomes',
    ],
  },
} as const satisfies Record<string, WorkerEntry>;

export type WorkerName = keyof typeof WORKERS;
export const WORKER_NAMES = Object.keys(WORKERS) as readonly WorkerName[];
