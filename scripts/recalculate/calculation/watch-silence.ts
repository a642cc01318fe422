import type { PatientRequests } from './patient-requests.ts';

/** Answers come within a second where somebody works on them. */
const SILENCE_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** Says when nobody answers, and when somebody does again. Does not keep the process alive. */
export function watchSilence(
  patient: Pick<PatientRequests, 'silentMs' | 'hasAnswered'>,
  patienceMs: number,
  say: (line: string) => void,
): { end(): void } {
  let isTold = false;
  const look = (): void => {
    const isSilent = patient.silentMs() >= SILENCE_MS;
    if (isSilent === isTold) return;
    isTold = isSilent;
    if (!isSilent) return say('answers come again');
    const since = `nobody has answered for ${SILENCE_MS / 1_000} s`;
    const remedy = patient.hasAnswered() ? '' : ': does a schedule worker with the bulk lane run?';
    say(`${since}${remedy} (waits for ${Math.round(patienceMs / 1_000)} s in all)`);
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { end: () => clearInterval(timer) };
}
