import { useEffect, useRef, useState } from 'preact/hooks';
import { callAction } from '../api.ts';
import { token } from '../preferences.ts';
import { SCHEDULE_ACTION } from './call-formats.ts';
import { calculatedTerms } from './loan.ts';
import { type ShownRow, type ShownSchedule } from './schedule.ts';

export interface LiveSchedule {
  /** The last schedule that could be calculated. */
  readonly schedule: ShownSchedule | undefined;
  /** Why the loan as it is now cannot be calculated. */
  readonly error: unknown;
  readonly isCalculating: boolean;
  readonly retry: () => void;
}

/** Long enough that a word is typed, short enough that figures follow a slider. */
const DEBOUNCE_MS = 250;

/** The schedule of a loan's terms, calculated again shortly after a change; a former call that still runs is aborted. */
export function useSchedule(terms: Readonly<Record<string, unknown>> | undefined): LiveSchedule {
  const [state, setState] = useState<Omit<LiveSchedule, 'retry'>>({
    schedule: undefined,
    error: undefined,
    isCalculating: true,
  });
  const [round, setRound] = useState(0);
  const isFirst = useRef(true);
  const key = terms === undefined ? '' : JSON.stringify(calculatedTerms(terms));
  useEffect(() => {
    if (key === '') return setState({ schedule: undefined, error: undefined, isCalculating: false });
    const abort = new AbortController();
    const calculate = async (): Promise<void> => {
      try {
        const schedule = await loadSchedule(JSON.parse(key) as Record<string, unknown>, abort.signal);
        if (!abort.signal.aborted) setState({ schedule, error: undefined, isCalculating: false });
      } catch (error) {
        if (abort.signal.aborted) return;
        setState(({ schedule }) => ({ schedule, error, isCalculating: false }));
      }
    };
    setState((former) => ({ ...former, isCalculating: true }));
    const timer = setTimeout(() => void calculate(), isFirst.current ? 0 : DEBOUNCE_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, round, token.value]);
  return { ...state, retry: () => setRound((current) => current + 1) };
}

/** The rows of a schedule with their explanations: three times as long as without, so that they are loaded where one is read. */
export async function loadExplained(
  { terms }: ShownSchedule,
  signal: AbortSignal,
): Promise<readonly ShownRow[]> {
  const jsonParam = { ...terms, CalculateDAE: 2, Explain: true };
  const { reply } = await callAction<readonly ShownRow[]>(SCHEDULE_ACTION, { jsonParam }, { signal });
  return reply;
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
