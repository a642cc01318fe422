import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Tail, TailOptions } from '../../../shared/messaging/ports.ts';

export class FakeTail implements Tail {
  readonly options: TailOptions;
  ready = true;
  stops = 0;
  onStart: () => Promise<void> = () => Promise.resolve();
  onCaughtUp: () => Promise<void> = () => Promise.resolve();
  #onMessage: (message: LogMessage) => void = () => undefined;
  #started = false;

  constructor(options: TailOptions) {
    this.options = options;
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    this.#onMessage = onMessage;
    await this.onStart();
    this.#started = true;
  }

  deliver(message: LogMessage): void {
    this.#onMessage(message);
  }

  isReady(): boolean {
    return this.#started && this.ready;
  }

  caughtUp(): Promise<void> {
    return this.onCaughtUp();
  }

  stop(): Promise<void> {
    this.stops += 1;
    return Promise.resolve();
  }
}
