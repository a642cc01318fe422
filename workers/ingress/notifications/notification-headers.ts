import type { IncomingMessage } from 'node:http';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification-limits.ts';
import { createProblem } from '../../../shared/platform/create-problem.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import type { ChannelContract } from './channels.ts';

const SENDER_ID = 'platrealm';
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${NOTIFICATION_LIMITS.idempotencyKeyCharacters}}$`);
const KEY_RULE = `must have 1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters`;

const ONE_KEY = 'must be sent once';

/** What the headers of a notification say (interface 4.8), or why it is refused by them. */
export type NotificationHeaders =
  | { readonly kind: 'read'; readonly idempotencyKey: string | undefined }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** Reads the headers that a notification needs: X-Sender-Id (403), X-Communication-Channel and Idempotency-Key (400). */
export function readNotificationHeaders(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  { channel, number }: ChannelContract,
): NotificationHeaders {
  if (headers['x-sender-id'] !== SENDER_ID) {
    return refused('forbidden', 'X-Sender-Id', valueFault(headers['x-sender-id'], `\`${SENDER_ID}\``));
  }
  const sent = headers['x-communication-channel'];
  if (sent !== number) {
    const wanted = `\`${number}\` at this address, which is that of ${channel}`;
    return refused('invalid-request', 'X-Communication-Channel', valueFault(sent, wanted));
  }
  // Node joins several lines by commas, which may stand in a key as well.
  if ((headersDistinct['idempotency-key']?.length ?? 0) > 1) {
    return refused('invalid-request', 'Idempotency-Key', { code: 'wrong-type', message: ONE_KEY });
  }
  const key = headers['idempotency-key'];
  if (key !== undefined && !KEY.test(String(key))) {
    return refused('invalid-request', 'Idempotency-Key', { code: 'wrong-type', message: KEY_RULE });
  }
  return { kind: 'read', idempotencyKey: key === undefined ? undefined : String(key) };
}

interface HeaderFault {
  readonly code: string;
  readonly message: string;
}

function valueFault(sent: unknown, wanted: string): HeaderFault {
  return sent === undefined
    ? { code: 'missing', message: `is missing; must be ${wanted}` }
    : { code: 'unknown-value', message: `must be ${wanted}` };
}

function refused(
  code: 'forbidden' | 'invalid-request',
  header: string,
  fault: HeaderFault,
): NotificationHeaders {
  const detail = `The header ${header} ${fault.message}.`;
  return {
    kind: 'refused',
    problem: createProblem(code, { detail, errors: [{ path: header, ...fault }] }),
  };
}
