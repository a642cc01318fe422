import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';

export class FakePublisher implements Publisher {
  readonly sent: OutgoingMessage[] = [];
  healthy = true;
  stops = 0;
  onPublish: (messages: readonly OutgoingMessage[]) => Promise<void> = () => Promise.resolve();

  start(): Promise<void> {
    return Promise.resolve();
  }

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    await this.onPublish(messages);
    this.sent.push(...messages);
  }

  isHealthy(): boolean {
    return this.healthy;
  }

  stop(): Promise<void> {
    this.stops += 1;
    return Promise.resolve();
  }
}
