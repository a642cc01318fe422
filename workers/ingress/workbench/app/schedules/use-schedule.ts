import { callAction } from '../api.ts';
import { useLoaded, type Loaded } from '../design/loaded.tsx';
import { SCHEDULE_ACTION } from './call-formats.ts';
import { calculatedTerms } from './loan.ts';
import { type ShownRow, type ShownSchedule } from './schedule.ts';

/** The last calculated schedule, and the error of the last calculation if it failed. */
export type LiveSchedule = Loaded<ShownSchedule | undefined>;

/** Long enough to finish typing a number, short enough that the figures seem to follow it. */
const DEBOUNCE_MS = 250;

/** Calculates a schedule at once, and again 250 ms after the terms last changed. A change aborts running calls. */
export function useSchedule(terms: Readonly<Record<string, unknown>> | undefined): LiveSchedule {
  const key = terms === undefined ? '' : JSON.stringify(calculatedTerms(terms));
  const calculate = async (signal: AbortSignal): Promise<ShownSchedule | undefined> =>
    key === '' ? undefined : await loadSchedule(JSON.parse(key) as Record<string, unknown>, signal);
  return useLoaded(calculate, [key], DEBOUNCE_MS);
}

/** Loads the rows with explanations, which make a response 3 to 9 times as long. Rejects as `callAction` does. */
export async function loadExplained({ terms }: ShownSchedule, signal: AbortSignal) {
  const jsonParam = { ...terms, CalculateDAE: 2, Explain: true };
  return (await callAction<readonly ShownRow[]>(SCHEDULE_ACTION, { jsonParam }, { signal })).reply;
}

/** A response contains either the DAE or the EIR (A5): the first call gets the DAE, the second the EIR. */
async function loadSchedule(terms: Record<string, unknown>, signal: AbortSignal): Promise<ShownSchedule> {
  const send = <Row>(more: object) =>
    callAction<readonly Row[]>(SCHEDULE_ACTION, { jsonParam: { ...terms, ...more } }, { signal });
  const [{ reply: rows, warnings }, other] = await Promise.all([
    send<ShownRow>({ CalculateDAE: 2 }),
    send<{ readonly EIR?: number | null }>({}),
  ]);
  const [first] = other.reply;
  return { terms, rows, dae: rows[0]?.dae ?? undefined, eir: first?.EIR ?? undefined, warnings };
}
