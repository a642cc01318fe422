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
  catalogueRecords: 'plat.catalogue.records.v1',
} as const;

export type TopicKey = keyof typeof TOPIC;

/** The name on the broker. The prefix isolates tests and tenants from one another. */
export function topicName(prefix: string, key: TopicKey): string {
  return prefix + TOPIC[key];
}
