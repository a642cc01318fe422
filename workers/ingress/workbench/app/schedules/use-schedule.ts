import { callAction } from '../api.ts';
import { useLoaded, type Loaded } from '../design/loaded.tsx';
import { SCHEDULE_ACTION } from './call-formats.ts';
import { calculatedTerms } from './loan.ts';
import { type ShownRow, type ShownSchedule } from './schedule.ts';

/** The last schedule that could be calculated, and why the loan as it is now cannot be. */
export type LiveSchedule = Loaded<ShownSchedule | undefined>;

/** Long enough that a word is typed, short enough that figures follow a slider. */
const DEBOUNCE_MS = 250;

/** The schedule of a loan's terms, calculated again shortly after a change; a former call that still runs is aborted. */
export function useSchedule(terms: Readonly<Record<string, unknown>> | undefined): LiveSchedule {
  const key = terms === undefined ? '' : JSON.stringify(calculatedTerms(terms));
  const calculate = async (signal: AbortSignal): Promise<ShownSchedule | undefined> =>
    key === '' ? undefined : await loadSchedule(JSON.parse(key) as Record<string, unknown>, signal);
  return useLoaded(calculate, [key], DEBOUNCE_MS);
}

/** The rows of a schedule with their explanations: three times as long as without, so that they are loaded where one is read. */
export async function loadExplained({ terms }: ShownSchedule, signal: AbortSignal) {
  const jsonParam = { ...terms, CalculateDAE: 2, Explain: true };
  return (await callAction<readonly ShownRow[]>(SCHEDULE_ACTION, { jsonParam }, { signal })).reply;
}

/** The response shows one effective rate at a time (A5): rows with the DAE, and a second call for the EIR. */
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
