import { RECEIPTS_PATH } from '../../shared/notification/receipt-address.ts';
import { COUNTING_SECRET } from '../support/builders/provider-entry.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { ProviderStandIn } from '../support/fakes/provider-stand-in.ts';

const SMS_PATH = '/api/notifications/v1/sms/send';
const ACCEPTED = 202;
const CALL_LIMIT_MS = 20_000;
const REPEAT_PAUSE_MS = 500;
/** A provider repeats a report for longer than any fault lasts, and a stored receipt shows soon. */
const MAX_REPORTS = 600;
const SHOWN_WITHIN = 60;
/** Few receivers, so that notifications queue behind others to the same receiver. */
const RECEIVERS = 50;
const FIRST_RECEIVER = 40_722_120_000;

export interface NotificationFigures {
  /** Notifications accepted by an ingress, and messages received by the provider. */
  readonly accepted: number;
  readonly delivered: number;
  /** Accepted and parked with an unknown outcome, on which an operator decides. */
  readonly parked: number;
  /** Accepted, but neither delivered nor parked. */
  readonly notificationsLost: number;
  readonly notificationsRepeated: number;
}

/** Sends notifications like a careful client: each with its own idempotency key, retried until accepted. */
export class NotificationCaller {
  readonly #urls: readonly string[];
  readonly #accepted = new Map<string, string>();
  readonly #reports = new Map<string, Promise<boolean>>();
  #isOver = false;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Resolves when notification `number` is accepted or given up. */
  async send(number: number): Promise<void> {
    const text = `notification ${number}`;
    for (let attempt = 0; !this.#isOver; attempt += 1) {
      const url = this.#urls[(number + attempt) % this.#urls.length] ?? '';
      const id = await post(url, number, text);
      if (id !== undefined) {
        this.#accepted.set(id, text);
        return;
      }
      await sleep(REPEAT_PAUSE_MS);
    }
  }

  /** The provider reports a message that it received, twice at once, until an ingress has stored both receipts. */
  report(id: string): void {
    const twice = [0, 1].map(async (first) => {
      for (let attempt = 0; attempt < MAX_REPORTS; attempt += 1) {
        const url = this.#urls[(first + attempt) % this.#urls.length] ?? '';
        if (await isStored(url, id)) return true;
        await sleep(REPEAT_PAUSE_MS);
      }
      return false;
    });
    this.#reports.set(
      id,
      Promise.all(twice).then((stored) => stored.every(Boolean)),
    );
  }

  /** Waits for the reports, and counts those that no ingress stored or that the status does not show. */
  async receipts(): Promise<{ readonly receipts: number; readonly receiptsLost: number }> {
    let receiptsLost = 0;
    for (const [id, stored] of this.#reports)
      if (!(await stored) || !(await this.#isShown(id))) receiptsLost += 1;
    return { receipts: this.#reports.size, receiptsLost };
  }

  async #isShown(id: string): Promise<boolean> {
    for (let tries = 0; tries < SHOWN_WITHIN; tries += 1) {
      if ((await statusOf(this.#urls[tries % this.#urls.length] ?? '', id)) === 'delivered') return true;
      await sleep(REPEAT_PAUSE_MS);
    }
    return false;
  }

  giveUp(): void {
    this.#isOver = true;
  }

  /** `parkedIds`: the notifications found among the dead letters. */
  figures(provider: ProviderStandIn, parkedIds: ReadonlySet<string> = new Set()): NotificationFigures {
    const texts = provider.requests
      .map(({ body }) => (JSON.parse(body.toString()) as { readonly text: string }).text)
      .filter((text) => text.startsWith('notification '));
    const delivered = Map.groupBy(texts, (text) => text);
    const missing = [...this.#accepted].flatMap(([id, text]) => (delivered.has(text) ? [] : [id]));
    const lost = missing.filter((id) => !parkedIds.has(id));
    return {
      accepted: this.#accepted.size,
      delivered: delivered.size,
      parked: missing.length - lost.length,
      notificationsLost: lost.length,
      notificationsRepeated: [...delivered.values()].filter(({ length }) => length > 1).length,
    };
  }
}

/** Reads the id from the response to an accepted notification. */
async function post(url: string, number: number, message: string): Promise<string | undefined> {
  try {
    const response = await fetch(url + SMS_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-communication-channel': '1',
        'x-sender-id': 'platrealm',
        'idempotency-key': `soak-${number}`,
      },
      body: JSON.stringify({ message, receiver: `+${FIRST_RECEIVER + (number % RECEIVERS)}` }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const { notificationId } = (await response.json()) as { notificationId?: string };
    return response.status === ACCEPTED ? notificationId : undefined;
  } catch {
    return undefined;
  }
}

async function isStored(url: string, id: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}${RECEIPTS_PATH}/counting/${COUNTING_SECRET}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, state: 'delivered' }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    return response.status === 200;
  } catch {
    return false;
  }
}

async function statusOf(url: string, id: string): Promise<string | undefined> {
  const response = await fetch(`${url}/api/notifications/v1/${id}`, {
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
  return ((await response.json()) as { readonly status?: string }).status;
}
