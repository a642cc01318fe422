import { expect } from 'vitest';
import type { SendResult } from '../../shared/notification/provider.ts';

/** Long enough to connect on a busy machine. */
const STANDS_MS = 10_000;

/**
 * Sends until a message is accepted, so that a connection is open afterwards. Otherwise the short timeout of a test
 * could expire on a busy machine before the next message is written.
 */
export async function untilSent(send: () => Promise<SendResult>): Promise<void> {
  await expect.poll(send, { timeout: STANDS_MS }).toMatchObject({ kind: 'sent' });
}
