/** The call of a schedule as text, to repeat it elsewhere. */

export const ACTION = 'PLAT_BP_CalculateRepaymentSchedule';
const MESSAGE_TYPE = 'CalculateRepaymentScheduleRequest';

/** The body of the HTTP call. */
export function asJson(terms: unknown): string {
  return JSON.stringify({ jsonParam: terms }, null, 2);
}

/** A command for a POSIX shell. `origin` is the address of the instance with its base path. */
export function asCurl(origin: string, terms: unknown): string {
  const body = asJson(terms).replaceAll("'", String.raw`'\''`);
  return `curl -s '${origin}/platapi/automation-processors/actions/${ACTION}' \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`;
}

/** A message for the topic of schedule requests: its headers and its value. */
export function asKafkaMessage(terms: unknown): string {
  const message = {
    topic: 'plat.schedule.requests.v1',
    headers: {
      'plat-message-type': MESSAGE_TYPE,
      kafka_correlationId: 'your-correlation-id',
      kafka_replyTopic: 'your-reply-topic',
    },
    value: { jsonParam: terms },
  };
  return JSON.stringify(message, null, 2);
}
