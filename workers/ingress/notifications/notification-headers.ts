import type { IncomingMessage } from 'node:http';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/limits.ts';
import { createProblem, type Fault, type Problem } from '../../../shared/platform/problem.ts';
import type { ChannelContract } from './channels.ts';

const SENDER_ID = 'platrealm';
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${NOTIFICATION_LIMITS.idempotencyKeyCharacters}}$`);
const KEY_RULE = `must have 1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters`;

const ONE_KEY = 'must be sent once';

/** What the headers of a notification say (interface 4.8), or why it is refused by them. */
export type NotificationHeaders =
  | { readonly kind: 'read'; readonly idempotencyKey: string | undefined }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Reads the headers that a notification needs: X-Sender-Id (403), X-Communication-Channel and Idempotency-Key (400). All
 * that is wrong with them is reported at once; a wrong sender decides about the code.
 */
export function readNotificationHeaders(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  { channel, number }: ChannelContract,
): NotificationHeaders {
  const sender = headers['x-sender-id'];
  const sent = headers['x-communication-channel'];
  const faults: Fault[] = [];
  if (sender !== SENDER_ID) faults.push(valueFault('X-Sender-Id', sender, `\`${SENDER_ID}\``));
  if (sent !== number) {
    const wanted = `\`${number}\` at this address, which is that of ${channel}`;
    faults.push(valueFault('X-Communication-Channel', sent, wanted));
  }
  const key = headers['idempotency-key'];
  // Node joins several lines by commas, which may stand in a key as well.
  const isRepeated = (headersDistinct['idempotency-key']?.length ?? 0) > 1;
  if (isRepeated || (key !== undefined && !KEY.test(String(key)))) {
    faults.push({ path: 'Idempotency-Key', code: 'wrong-type', message: isRepeated ? ONE_KEY : KEY_RULE });
  }
  if (faults.length === 0)
    return { kind: 'read', idempotencyKey: key === undefined ? undefined : String(key) };
  const detail = faults.map(({ path, message }) => `The header ${path} ${message}.`).join(' ');
  const code = sender === SENDER_ID ? 'invalid-request' : 'forbidden';
  return { kind: 'refused', problem: createProblem(code, { detail, errors: faults }) };
}

function valueFault(path: string, sent: unknown, wanted: string): Fault {
  return sent === undefined
    ? { path, code: 'missing', message: `is missing; must be ${wanted}` }
    : { path, code: 'unknown-value', message: `must be ${wanted}` };
}
