/** The local outbox in the operations interface. */

import { z } from 'zod';

const message = z.object({
  id: z.string().meta({ format: 'uuid' }).describe('Id of the notification.'),
  channel: z.enum(['sms', 'email']),
  sender: z.string(),
  receiver: z.string(),
  subject: z.string().describe('Empty for an SMS.'),
});

/** The newest messages. */
export const outboxList = z
  .object({
    messages: z.array(
      message
        .extend({ writtenAt: z.string().meta({ format: 'date-time' }), bytes: z.int().nonnegative() })
        .meta({ id: 'ListedOutboxMessage' }),
    ),
  })
  .meta({ id: 'OutboxMessages' });
export type OutboxList = z.infer<typeof outboxList>;

/** One message. */
export const outboxMessage = message
  .extend({
    headers: z.array(z.string()).describe('The header lines.'),
    text: z.string().describe('The first text part; the source of an e-mail that has HTML only.'),
    htmlAddress: z
      .string()
      .optional()
      .describe(
        'Address of the HTML part for a frame, without scripts and resources; valid for five minutes, without a token.',
      ),
    files: z.array(z.string()).describe('Names of the attached files.'),
  })
  .meta({ id: 'OutboxMessage' });
export type OutboxReply = z.infer<typeof outboxMessage>;
