import type { Broker, GroupState } from '../../../shared/messaging/ports.ts';
import type { Incident } from '../faults/fault-plan.ts';
import type { ProcessWorld } from '../restarting-process.ts';
import type { ProcessLife } from '../sim-process.ts';

/** Incidents of a process that have nothing to do with its broker. */
type ProcessIncident = Extract<Incident, { readonly kind: 'crash' | 'terminate' | 'freeze' | 'clock-step' }>;
/** Incidents of the broker, of the way to it, and of its disk. */
export type BrokerIncident = Exclude<Incident, ProcessIncident>;

/** The broker of a run as seen from outside of all processes: its faults, and what its rules and observers need of it. */
export interface SimBroker extends Pick<ProcessWorld, 'connect' | 'openBroker' | 'onEnd'> {
  /** Environment variables of the processes. */
  readonly env: Readonly<Record<string, string>>;
  /** The broker as a client outside the system has it. */
  connectClient(life: ProcessLife): Broker;
  /** Lets an incident happen, and end at its time. */
  strike(incident: BrokerIncident): void;
  /** Whether a process gets no answers from the broker. */
  isRefusing(processName: string): boolean;
  /** How long a client of a running process has had no connection, in milliseconds; the longest of its clients. */
  absentMs(processName: string): number;
  /** The groups whose consumers the system has created. */
  groups(): Promise<readonly GroupState[]>;
  close(): void;
}

/** An incident that this kind of system cannot have. */
export function impossible({ kind }: Incident): Error {
  return new Error(`${kind} is no incident of this kind of system`);
}
