/** A schedule request as text to copy: JSON, a curl command or a Kafka message. `terms` are those of `loanTerms`. */

export const SCHEDULE_ACTION = 'PLAT_BP_CalculateRepaymentSchedule';

export function asJson(terms: unknown): string {
  return JSON.stringify({ jsonParam: terms }, null, 2);
}

/** A command for a POSIX shell. With `needsToken` it sends the token in the shell variable TOKEN. */
export function asCurl(origin: string, terms: unknown, needsToken = false): string {
  const body = asJson(terms).replaceAll("'", String.raw`'\''`);
  const lines = [
    `curl -s '${origin}/platapi/automation-processors/actions/${SCHEDULE_ACTION}'`,
    `-H 'content-type: application/json'`,
    ...(needsToken ? ['-H "authorization: Bearer $TOKEN"'] : []),
    `-d '${body}'`,
  ];
  return lines.join(' \\\n  ');
}

export function asKafkaMessage(topic: string, terms: unknown): string {
  const message = {
    topic,
    headers: {
      'plat-message-type': 'CalculateRepaymentScheduleRequest',
      kafka_correlationId: 'your-correlation-id',
      kafka_replyTopic: 'your.replies',
    },
    value: { jsonParam: terms },
  };
  return JSON.stringify(message, null, 2);
}
