/** The topics of the system without their prefix; `topicName` puts the configured prefix before. */
export const TOPIC = {
  scheduleRequests: 'plat.schedule.requests.v1',
  scheduleBulkRequests: 'plat.schedule.requests.bulk.v1',
  scheduleDeadLetters: 'plat.schedule.dead-letters.v1',
  productRequests: 'plat.product.requests.v1',
  productDeadLetters: 'plat.product.dead-letters.v1',
  simulationRequests: 'plat.simulation.requests.v1',
  simulationDeadLetters: 'plat.simulation.dead-letters.v1',
  ingressReplies: 'plat.ingress.replies.v1',
  ingressResults: 'plat.ingress.results.v1',
  recalculationReplies: 'plat.recalculation.replies.v1',
  catalogueRecords: 'plat.catalogue.records.v1',
  smsCommands: 'plat.notification.commands.sms.v1',
  emailCommands: 'plat.notification.commands.email.v1',
  notificationHold: 'plat.notification.hold.v1',
  notificationOutcomes: 'plat.notification.outcomes.v1',
  notificationAcceptances: 'plat.notification.acceptances.v1',
  notificationDeadLetters: 'plat.notification.dead-letters.v1',
  deadLetterAudit: 'plat.dead-letters.audit.v1',
} as const;

export type TopicKey = keyof typeof TOPIC;

/** The name on the broker. The prefix isolates tests and tenants from one another. */
export function topicName(prefix: string, key: TopicKey): string {
  return prefix + TOPIC[key];
}

const SECOND_MS = 1_000;
const UNITS = [
  [3_600 * SECOND_MS, 'h'],
  [60 * SECOND_MS, 'm'],
  [SECOND_MS, 's'],
] as const;

/** A delay as it stands in names: `10s`, `1m`, `10m`, `1h`. Delays are whole seconds. */
export function delayLabel(delayMs: number): string {
  const [unitMs, unit] = UNITS.find(([ms]) => delayMs % ms === 0) ?? [1, 'ms'];
  return `${delayMs / unitMs}${unit}`;
}

/** The topic on which notifications wait for so long. */
export function retryTopicName(prefix: string, delayMs: number): string {
  return `${prefix}plat.notification.retry.${delayLabel(delayMs)}.v1`;
}
