/** Findings of a schedule calculation as those of the simulation that it was made for (E1, E3). */

import type { Fault, Findings, Warning } from '../../lending/request/refusal.ts';
import { toldFault, type FaultContext } from './simulation-faults.ts';

/** Notes the faults of a calculation by what the caller knows of it, each once over all offers. */
export function noteFaults(faults: readonly Fault[], context: FaultContext, findings: Findings): void {
  for (const fault of faults) {
    const told = toldFault(fault, context);
    const isKnown = findings.faults.some(
      ({ path, code, message }) => path === told.path && code === told.code && message === told.message,
    );
    if (!isKnown) findings.faults.push(told);
  }
}

/** Each fault once: what is wrong with a charge is found anew for every offer that it belongs to. */
export function distinctFaults(faults: readonly Fault[]): readonly Fault[] {
  return [
    ...new Map(faults.map((fault) => [`${fault.path} ${fault.code} ${fault.message}`, fault])).values(),
  ];
}

/** Warnings about members that the caller sent; what the product brought along is no concern of the caller. */
export function noteWarnings(warnings: readonly Warning[], findings: Findings): void {
  for (const { path, code } of warnings) {
    const isSent = path === 'installmentValue' || path === 'principalValue';
    if (isSent && !findings.warnings.some((known) => known.path === path)) findings.warn(path, code);
  }
}
