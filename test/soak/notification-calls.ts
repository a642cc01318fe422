import { sleep } from '../support/conformance/wait.ts';
import type { ProviderStandIn } from '../support/fakes/provider-stand-in.ts';

const SMS_PATH = '/api/notifications/v1/sms/send';
const ACCEPTED = 202;
const CALL_LIMIT_MS = 20_000;
const REPEAT_PAUSE_MS = 500;
/** Receivers, so that some notifications wait behind others of theirs. */
const RECEIVERS = 50;
const FIRST_RECEIVER = 40_722_120_000;

export interface NotificationFigures {
  /** Notifications that an ingress said it had accepted, and texts that came to the provider. */
  readonly accepted: number;
  readonly delivered: number;
  /** Accepted, not delivered, and parked: it is not known whether they were sent, and an operator is notified. */
  readonly parked: number;
  /** Accepted, neither delivered nor parked. */
  readonly notificationsLost: number;
  /** Delivered more than once. */
  readonly notificationsRepeated: number;
}

/** Sends notifications as a careful caller does: each under a key of its own, and again until it is accepted. */
export class NotificationCaller {
  readonly #urls: () => readonly string[];
  /** Texts of accepted notifications by their ids. */
  readonly #accepted = new Map<string, string>();
  #begun = 0;
  #isOver = false;

  /** Calls the ingresses at these addresses in turn. */
  constructor(urls: () => readonly string[]) {
    this.#urls = urls;
  }

  /** How many notifications were begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Begins one more; resolves when it was accepted or given up. */
  async begin(): Promise<void> {
    const number = this.#begun;
    this.#begun += 1;
    const text = `notification ${number}`;
    for (let attempt = 0; !this.#isOver; attempt += 1) {
      const urls = this.#urls();
      const id = await send(urls[(number + attempt) % urls.length] ?? '', number, text);
      if (id !== undefined) {
        this.#accepted.set(id, text);
        return;
      }
      await sleep(REPEAT_PAUSE_MS);
    }
  }

  /** Nothing is repeated any more. */
  giveUp(): void {
    this.#isOver = true;
  }

  /** `parkedIds`: the notifications among the dead letters. */
  figures(provider: ProviderStandIn, parkedIds: ReadonlySet<string> = new Set()): NotificationFigures {
    const counts = new Map<string, number>();
    for (const { body } of provider.requests) {
      const { text = '' } = JSON.parse(body.toString()) as { text?: string };
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const missing = [...this.#accepted].flatMap(([id, text]) => (counts.has(text) ? [] : [id]));
    const lost = missing.filter((id) => !parkedIds.has(id));
    return {
      accepted: this.#accepted.size,
      delivered: counts.size,
      parked: missing.length - lost.length,
      notificationsLost: lost.length,
      notificationsRepeated: [...counts.values()].filter((count) => count > 1).length,
    };
  }
}

/** The id of an accepted notification. */
async function send(url: string, number: number, message: string): Promise<string | undefined> {
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
