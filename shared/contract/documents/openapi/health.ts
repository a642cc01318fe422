/** The addresses of health and metrics, for operators and their tools. */

import { z } from 'zod';
import type { ApiPart, Operation } from './part.ts';
import { answer, problemReferences } from './responses.ts';

/** The health of one part. */
const partFields = {
  status: z.enum(['ready', 'starting', 'degraded', 'unhealthy']),
  reason: z.string().describe('Reason for an operator.').optional(),
};
const partHealth = z.object(partFields).meta({ id: 'PartHealth' });
const parts = (description: string) => z.record(z.string(), partHealth).describe(description);

/** A health answer. */
const health = z
  .object({
    ...partFields,
    parts: parts('The parts of the ingress by name; they determine readiness.'),
    workers: parts('The other workers of the process by name; an unhealthy one fails liveness.'),
  })
  .meta({ id: 'Health' });

export function healthPart(): ApiPart {
  return {
    tag: { name: 'Operation', description: 'Health and metrics of an instance.' },
    paths: {
      '/health/live': {
        get: healthGet({
          operationId: 'getLiveness',
          summary: 'Reports whether the process is alive',
          description: 'A supervisor restarts a process that is not.',
          responses: {
            200: healthAnswer('The process is alive.'),
            503: healthAnswer('The process needs a restart.'),
          },
        }),
      },
      '/health/ready': {
        get: healthGet({
          operationId: 'getReadiness',
          summary: 'Reports whether this ingress accepts traffic',
          description: 'A load balancer sends traffic only to an ingress that accepts it.',
          responses: {
            200: healthAnswer('It accepts traffic.'),
            503: healthAnswer('It does not accept traffic; see reason.'),
          },
        }),
      },
      '/metrics': {
        get: healthGet({
          operationId: 'getMetrics',
          summary: 'Metrics in the Prometheus text format',
          description: 'Requests, handlers, lag and the process itself.',
          responses: {
            200: {
              ...healthAnswer('The metrics.'),
              content: { 'text/plain': { schema: { type: 'string' } } },
            },
          },
        }),
      },
    },
  };
}

function healthAnswer(description: string): object {
  return answer(description, { headers: ['X-Correlation-Id'], schema: health });
}

/** An operation without access control. */
function healthGet(operation: Operation): Operation {
  return {
    ...operation,
    security: [{}],
    responses: { ...operation.responses, ...problemReferences([403]) },
  };
}
