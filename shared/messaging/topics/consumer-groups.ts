import type { GroupReads } from '../ports.ts';
import { delayLabel, retryTopicName, topicName, type Priority, type TopicKey } from './topic-list.ts';

export interface WorkerGroup extends GroupReads {
  readonly worker: string;
  /** True if messages wait on the topic until they are due: then their number does not show a slow worker. */
  readonly isDelayed: boolean;
}

export function requestGroup(prefix: string, worker: string, lane: 'interactive' | 'bulk'): string {
  return `${prefix}plat.${worker}.${lane}`;
}

export function commandGroup(prefix: string, channel: 'sms' | 'email', priority: Priority): string {
  return `${prefix}plat.notification.${priority === 'urgent' ? `${channel}.urgent` : channel}`;
}

interface Tier {
  readonly delayMs: number;
  readonly priority: Priority;
}

export function tierGroup(prefix: string, tier: Tier): string {
  return `${prefix}plat.notification.retry.${tierLabel(tier)}`;
}

/** Name of a tier in health, metrics and group names, such as `10s` or `10s-urgent`. */
export function tierLabel({ delayMs, priority }: Tier): string {
  return priority === 'urgent' ? `${delayLabel(delayMs)}-urgent` : delayLabel(delayMs);
}

function group(worker: string, groupId: string, topic: string, isDelayed = false): WorkerGroup {
  return { worker, isDelayed, groupId, topics: [topic] };
}

export function workerGroups(prefix: string, retryTiersMs: readonly number[]): readonly WorkerGroup[] {
  const requests = (worker: string, lane: 'interactive' | 'bulk', key: TopicKey): WorkerGroup =>
    group(worker, requestGroup(prefix, worker, lane), topicName(prefix, key));
  const commands = (channel: 'sms' | 'email', priority: Priority, key: TopicKey): WorkerGroup =>
    group('notification', commandGroup(prefix, channel, priority), topicName(prefix, key));
  const tiers = (['normal', 'urgent'] as const).flatMap((priority) =>
    retryTiersMs.map((delayMs) => {
      const groupId = tierGroup(prefix, { delayMs, priority });
      return group('notification', groupId, retryTopicName(prefix, delayMs, priority), true);
    }),
  );
  return [
    requests('schedule', 'interactive', 'scheduleRequests'),
    requests('schedule', 'bulk', 'scheduleBulkRequests'),
    requests('product', 'interactive', 'productRequests'),
    requests('simulation', 'interactive', 'simulationRequests'),
    requests('notification', 'interactive', 'verificationRequests'),
    commands('sms', 'urgent', 'smsUrgentCommands'),
    commands('email', 'urgent', 'emailUrgentCommands'),
    commands('sms', 'normal', 'smsCommands'),
    commands('email', 'normal', 'emailCommands'),
    ...tiers,
  ];
}
