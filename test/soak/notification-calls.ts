import { sleep } from '../support/conformance/wait.ts';
import type { ProviderStandIn } from '../support/fakes/provider-stand-in.ts';

const SMS_PATH = '/api/notifications/v1/sms/send';
const ACCEPTED = 202;
const CALL_LIMIT_MS = 20_000;
const REPEAT_PAUSE_MS = 500;
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

  giveUp(): void {
    this.#isOver = true;
  }

  /** `parkedIds`: the notifications found among the dead letters. */
  figures(provider: ProviderStandIn, parkedIds: ReadonlySet<string> = new Set()): NotificationFigures {
    const texts = provider.requests.map(
      ({ body }) => (JSON.parse(body.toString()) as { readonly text: string }).text,
    );
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
