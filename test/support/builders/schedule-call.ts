import { createClient } from '../../../shared/client/client.ts';

/** The published proof schedule: 100 at 7 %, six monthly instalments from 1 January 2024, 30/360. */
export const PROOF_REQUEST = {
  ScheduleType: 'EqualInstallments',
  ProductType: 'TL',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  ActivationDate: '2024-01-01',
};
export const PROOF_TOTALS = [17.01, 17.01, 17.01, 17.01, 17.01, 17];
export const PROOF_INTEREST = [0.58, 0.49, 0.39, 0.29, 0.2, 0.1];

export const ACTION_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule';

/** A call that hangs fails the test instead of blocking it. */
const CALL_LIMIT_MS = 30_000;

export type Row = Readonly<Record<string, string | number>>;

/** Posts a JSON body to the schedule action (or another path) of a running ingress. */
export function post(
  baseUrl: string,
  body: unknown,
  options: { path?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return fetch(baseUrl + (options.path ?? ACTION_PATH), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
}

/** Requests a schedule once and returns its rows; rejects with the problem of a refusal. */
export async function scheduleRows(baseUrl: string, changes: object = {}): Promise<readonly Row[]> {
  const jsonParam = { ...PROOF_REQUEST, ...changes };
  const engine = createClient({ baseUrl, attempts: 1 });
  return (await engine.calculateRepaymentSchedule({ jsonParam })).reply;
}
