import type { Broker, GroupState } from '../../../shared/messaging/ports.ts';
import type { Incident } from '../faults/fault-plan.ts';
import type { ProcessWorld } from '../restarting-process.ts';
import type { ProcessLife } from '../sim-process.ts';

/** The broker of a run as seen from outside of all processes: its faults, and what its rules and observers need of it. */
export interface SimBroker extends Pick<ProcessWorld, 'connect' | 'openBroker' | 'onEnd'> {
  readonly env: Readonly<Record<string, string>>;
  /** The broker as a client outside the system has it. */
  connectClient(life: ProcessLife): Broker;
  /** Lets an incident happen, and end at its time. */
  strike(incident: Incident): void;
  /** For how long at most a process has not reached the broker, in milliseconds; 0 while it does. */
  absentMs(processName: string): number;
  /** The groups whose consumers the system has created. */
  groups(): Promise<readonly GroupState[]>;
  close(): void;
}

/** An incident that this kind of system cannot have. */
export function impossible({ kind }: Incident): Error {
  return new Error(`${kind} is no incident of this kind of system`);
}
