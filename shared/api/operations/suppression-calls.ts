/** The list of suppressed addresses in the operations interface (N8). */

import { z } from 'zod';
import { SUPPRESSION_REASONS } from '../../notification/suppression-reasons.ts';
import { dateTime, namedObject, objectOf, strictNamed } from '../json/field-kinds.ts';
import { line, numberFrom, OPERATIONS_LIMITS } from './operation-fields.ts';

const receiver = () =>
  line().describe('An e-mail address, or a telephone number with its country code. Only its hash is kept.');
const reason = () => line(OPERATIONS_LIMITS.reasonCharacters).describe('Why, for the audit.');

export const suppressionQuery = objectOf({
  receiver: receiver().optional(),
  limit: numberFrom(1, OPERATIONS_LIMITS.pageSuppressions).optional(),
  cursor: numberFrom(1, 999_999_999).optional().describe('The `nextCursor` of the page before.'),
});
export const suppressionBody = strictNamed('AddSuppression', { receiver: receiver(), reason: reason() });
export const removalBody = strictNamed('RemoveSuppression', {
  hash: line().describe('The `hash` of the entry.'),
  reason: reason(),
});

export const listedSuppression = namedObject('Suppression', {
  hash: z.string().describe('Keyed hash of channel and address.'),
  channel: z.enum(['sms', 'email']),
  reason: z
    .enum(SUPPRESSION_REASONS)
    .describe('`hard-bounce` and `operator` stop all messages, the others campaigns only.'),
  at: dateTime(),
  by: z.string().describe('The subject of an operator, the name of a provider, or `receiver`.'),
  note: z.string().optional().describe('Why an operator added it.'),
});

export const suppressionPage = namedObject('SuppressionPage', {
  suppressions: z.array(listedSuppression),
  nextCursor: z.int().optional().describe('Absent on the last page.'),
});
