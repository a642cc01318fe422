import { callAction } from '../api.ts';
import { useLoaded, type Loaded } from '../design/loaded.tsx';
import { SCHEDULE_ACTION } from './call-formats.ts';
import { calculatedTerms } from './loan.ts';
import { type ShownRow, type ShownSchedule } from './schedule.ts';

/** The last calculated schedule, and the error of the current terms. */
export type LiveSchedule = Loaded<ShownSchedule | undefined>;

/** Long enough to type a number, short enough that figures seem to follow the entry. */
const DEBOUNCE_MS = 250;

/** The schedule of these terms. A change calculates it again after 250 ms and aborts a call that still runs. */
export function useSchedule(terms: Readonly<Record<string, unknown>> | undefined): LiveSchedule {
  const key = terms === undefined ? '' : JSON.stringify(calculatedTerms(terms));
  const calculate = async (signal: AbortSignal): Promise<ShownSchedule | undefined> =>
    key === '' ? undefined : await loadSchedule(JSON.parse(key) as Record<string, unknown>, signal);
  return useLoaded(calculate, [key], DEBOUNCE_MS);
}

/** The rows with explanations, which triple the response: load them only to show one. Rejects as callAction does. */
export async function loadExplained({ terms }: ShownSchedule, signal: AbortSignal) {
  const jsonParam = { ...terms, CalculateDAE: 2, Explain: true };
  return (await callAction<readonly ShownRow[]>(SCHEDULE_ACTION, { jsonParam }, { signal })).reply;
}

/** A response has one effective rate (A5), so a second call gets the EIR. */
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
