import type { LogMessage, PartitionOffset, TopicPartition } from '../../../shared/messaging/message.ts';
import type { Broker, GroupSink, GroupSource, GroupSourceOptions } from '../../../shared/messaging/ports.ts';

export type MemberEvent =
  | { readonly kind: 'assigned'; readonly epoch: number; readonly partitions: readonly TopicPartition[] }
  | { readonly kind: 'revoking'; readonly epoch: number }
  | Readonly<{ kind: 'messages'; epoch: number; messages: readonly LogMessage[]; highWatermark: number }>
  | { readonly kind: 'crash'; readonly error: Error };

export interface MemberPolicy {
  /** `each`: commits every batch immediately. `never`: the test commits. */
  readonly commit: 'each' | 'never';
  readonly onEvent?: (event: MemberEvent) => void;
}

export class RecordingMember {
  readonly source: GroupSource;
  readonly events: MemberEvent[] = [];
  readonly messages: LogMessage[] = [];
  epoch = 0;
  assigned: readonly TopicPartition[] = [];
  readonly #policy: MemberPolicy;

  constructor(broker: Broker, options: GroupSourceOptions, policy: MemberPolicy) {
    this.source = broker.createGroupSource(options);
    this.#policy = policy;
  }

  async start(): Promise<this> {
    const sink: GroupSink = {
      onAssigned: (epoch, partitions) => {
        this.epoch = epoch;
        this.assigned = partitions;
        this.#record({ kind: 'assigned', epoch, partitions });
      },
      onRevoking: (epoch) => this.#record({ kind: 'revoking', epoch }),
      onMessages: (epoch, messages, highWatermark) => {
        this.messages.push(...messages);
        this.#record({ kind: 'messages', epoch, messages, highWatermark });
        if (this.#policy.commit === 'each') this.#commitBatch(epoch, messages);
      },
      onCrash: (error) => this.#record({ kind: 'crash', error }),
    };
    await this.source.start(sink);
    return this;
  }

  values(): string[] {
    return this.messages.map((message) => message.value?.toString() ?? '');
  }

  #record(event: MemberEvent): void {
    this.events.push(event);
    this.#policy.onEvent?.(event);
  }

  #commitBatch(epoch: number, messages: readonly LogMessage[]): void {
    const last = messages.at(-1);
    if (last === undefined) return;
    const next: PartitionOffset = { topic: last.topic, partition: last.partition, offset: last.offset + 1 };
    this.source.commit(epoch, [next]).catch(() => undefined);
  }
}
