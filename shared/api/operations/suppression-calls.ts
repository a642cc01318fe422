/** The list of suppressed addresses in the operations interface, and on its topic (N8). */

import { z } from 'zod';
import { dateTime, namedObject, objectOf, refuse, strictNamed } from '../json/field-kinds.ts';
import { cleanEmailAddress } from '../notification/email-address.ts';
import { cleanPhoneNumber } from '../notification/phone-number.ts';
import { cursor } from './notification-lists.ts';
import { line, numberFrom, OPERATIONS_LIMITS } from './operation-fields.ts';

/** An entry is named by this hash of its address. */
export const SUPPRESSION_HASH = /^[0-9a-f]{16}$/;

const receiver = () =>
  line()
    .describe('An e-mail address, a telephone number with its country code, or the `hash` of an entry.')
    .transform((sent, context) => {
      const address = sent.includes('@') ? cleanEmailAddress(sent) : cleanPhoneNumber(sent);
      if (SUPPRESSION_HASH.test(sent)) return sent;
      return address ?? refuse(context, sent, 'invalid-address', 'must be an address, a number or a hash');
    });

export const suppressionQuery = objectOf({
  receiver: receiver().optional(),
  limit: numberFrom(1, OPERATIONS_LIMITS.pageNotifications).optional(),
  cursor: cursor().optional().describe('The `nextCursor` of the page before.'),
});
export const suppressionBody = strictNamed('ChangeSuppression', {
  receiver: receiver(),
  reason: line(OPERATIONS_LIMITS.reasonCharacters).describe('Why, for the audit.'),
});

export const listedSuppression = namedObject('Suppression', {
  hash: z.string().describe('Keyed hash of the address: the `receiverHash` of notifications.'),
  reason: z
    .enum(['bounced', 'operator', 'complained', 'unsubscribed', 'stopped'])
    .describe('`bounced` and `operator` stop all messages, the others campaigns only.'),
  at: dateTime(),
  by: z.string().describe('The subject of an operator, the name of a provider, or `receiver`.'),
  note: z.string().optional().describe('Why an operator changed it.'),
  removed: z.literal(true).optional().describe('The address gets messages again.'),
});
export type Suppression = z.infer<typeof listedSuppression>;
/** The strongest first. */
export const SUPPRESSION_REASONS = listedSuppression.shape.reason.options;
export type SuppressionReason = Suppression['reason'];

export const suppressionPage = namedObject('SuppressionPage', {
  suppressions: z.array(listedSuppression),
  nextCursor: z.string().optional().describe('Absent on the last page.'),
});
