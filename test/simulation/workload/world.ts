import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { History } from '../check/history.ts';
import type { Watcher } from '../check/watcher.ts';
import type { Journal } from '../check/journal.ts';
import type { Answer, Call } from '../ingress-call.ts';
import type { SeededSystem } from '../seeded-system.ts';

export interface World {
  readonly system: SeededSystem;
  readonly journal: Journal;
  readonly history: History;
  readonly codec: MessageCodec;
  readonly watcher: Pick<Watcher, 'onActionAnswer' | 'onNotificationAnswer'>;
  /** Calls the ingress instance with this number, modulo their count; undefined when the connection was lost. */
  call(ingress: number, call: Call): Promise<Answer | undefined>;
  ingressName(ingress: number): string;
  /** For how long the ingress has not reached the broker, in milliseconds; Infinity while it does not run. */
  absentMs(ingress: number): number;
  /** A process outside the system, with a connection to its broker that is subject to the faults of the run. */
  startClient(name: string): { readonly ports: SystemPorts; readonly broker: Broker };
  isOver(): boolean;
}
