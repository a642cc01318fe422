import type { PublishSlice } from '../../common/publishing/publish-queue.ts';
import type { RecordSender, SenderConnection } from '../../common/publishing/record-sender.ts';
import type { CreatePlatformaticClient, PlatformaticClient } from '../connection/client.ts';
import { PlatformaticSender } from './record-sender.ts';

/** Delay before a failed connection is retried, doubled with each consecutive failure. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

interface SenderConnectionOptions {
  readonly createClient: CreatePlatformaticClient;
  readonly clientId: string;
  readonly onReady: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Keeps the client of one publisher connected to at least one broker; those to the leaders are opened by sending. */
export class PlatformaticSenderConnection implements SenderConnection {
  readonly #client: PlatformaticClient;
  readonly #sender: PlatformaticSender;
  readonly #onReady: () => void;
  readonly #onFailed: (error: unknown) => void;
  #failures = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  lastError: unknown;

  constructor({ createClient, clientId, onReady, onFailed }: SenderConnectionOptions) {
    this.#client = createClient({ clientId });
    this.#sender = new PlatformaticSender(this.#client);
    this.#onReady = onReady;
    this.#onFailed = onFailed;
  }

  get sender(): RecordSender | undefined {
    return this.#client.isConnected() ? this.#sender : undefined;
  }

  isConnected(): boolean {
    return this.#client.isConnected();
  }

  open(): void {
    this.#client.onLost = () => this.#connect();
    this.#connect();
  }

  discard(_: RecordSender, slices: readonly PublishSlice[]): void {
    this.#sender.forgetLeaders(slices);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#client.destroy();
  }

  #connect(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#client.connect().then(
      () => this.#connected(),
      (error: unknown) => this.#failed(error),
    );
  }

  #connected(): void {
    this.#failures = 0;
    if (!this.#closed) this.#onReady();
  }

  #failed(error: unknown): void {
    this.lastError = error;
    if (this.#closed) return;
    const delayMs = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    this.#onFailed(error);
    this.#timer = setTimeout(() => this.#connect(), delayMs);
  }
}
