import { expect } from 'vitest';
import type { SendResult } from '../../shared/notification/provider.ts';

/** Even the busiest machine has a connection by then. */
const STANDS_MS = 10_000;

/**
 * Sends until it is answered, so that a connection stands. Else a time-out that is short for the sake of its test could
 * end on a busy machine before a byte of the next message is out.
 */
export async function untilSent(send: () => Promise<SendResult>): Promise<void> {
  await expect.poll(send, { timeout: STANDS_MS }).toMatchObject({ kind: 'sent' });
}
