import type { Broker, GroupState } from '../../../shared/messaging/ports.ts';
import type { Incident } from '../faults/fault-plan.ts';
import type { ProcessWorld } from '../restarting-process.ts';
import type { ProcessLife } from '../sim-process.ts';

export interface SimBroker extends Pick<ProcessWorld, 'connect' | 'openBroker' | 'onEnd'> {
  readonly env: Readonly<Record<string, string>>;
  connectClient(life: ProcessLife): Broker;
  strike(incident: Incident): void;
  absentMs(processName: string): number;
  groups(): Promise<readonly GroupState[]>;
  close(): void;
}

export function impossible({ kind }: Incident): Error {
  return new Error(`${kind} is no incident of this kind of system`);
}
