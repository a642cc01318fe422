import type { FastifyReply } from 'fastify';

/** The memory that bodies under way may take together. */
export interface BodyBudget {
  /** Takes from the budget for a request until its answer is out, or its caller went away. */
  takerFor(reply: FastifyReply): (bytes: number) => boolean;
}

/** Without it as many e-mails as there are connections could be in memory at once. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let left = maxBytes;
  return {
    takerFor: (reply) => {
      let taken = 0;
      reply.raw.once('close', () => {
        left += taken;
        taken = 0;
      });
      return (bytes) => {
        if (bytes > left) return false;
        left -= bytes;
        taken += bytes;
        return true;
      };
    },
  };
}
