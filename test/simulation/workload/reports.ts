import path from 'node:path';
import type { ReceiptStatus } from '../../../shared/notification/notification-state.ts';
import { RECEIPTS_PATH } from '../../../shared/notification/receipt-address.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import { Picks } from '../../support/random/pick.ts';
import type { ProviderCall } from '../check/history.ts';
import type { World } from './world.ts';

/** The configuration that the ingresses read; the providers themselves are simulated. */
export const REPORTS_FILE = path.join(import.meta.dirname, 'provider-reports.json');
const SECRET = 'a-secret-of-the-simulation';
const LATEST_MS = 20_000;
const REPEAT_MS = 1_000;
const PATTERNS: readonly (readonly ReceiptStatus[])[] = [
  [],
  ['delivered'],
  ['undelivered'],
  ['delivered', 'complained'],
  ['undelivered', 'delivered', 'bounced'],
];

/** The provider reports a message that it sent: each event twice, in any order, until an ingress has stored it. */
export async function reportDelivery(
  world: World,
  { notificationId, provider, startedAtMs }: ProviderCall,
): Promise<void> {
  const picks = new Picks(Math.floor(startedAtMs * 1_000));
  const statuses = PATTERNS[picks.whole(0, PATTERNS.length - 1)] ?? [];
  await Promise.all(
    [...statuses, ...statuses].map(async (status) => {
      await sleep(world.system.timers, picks.whole(1, LATEST_MS));
      for (let ingress = picks.whole(0, 1); ; ingress += 1) {
        const url = `${RECEIPTS_PATH}/${provider}/${SECRET}`;
        const body = { id: notificationId, state: status };
        const answer = await world.call(ingress, { method: 'POST', url, body });
        if (answer?.status === 200) break;
        world.journal.note(
          'provider',
          `repeats its report: ${answer?.status ?? 'no answer'}`,
          notificationId,
        );
        await sleep(world.system.timers, REPEAT_MS);
      }
      const reported = world.history.reported.get(notificationId) ?? new Set();
      world.history.reported.set(notificationId, reported.add(status));
      world.journal.note('provider', `has reported ${status}`, notificationId);
    }),
  );
}
