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

/** 1000 at 12 % over four months. */
export const PMT_TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
  InterestPercent: 12,
};
export const PMT_ANSWER = '{"PMTValue":256.28,"PrincipalValue":250.00}';

export const ACTION_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule';

/** A call that hangs fails the test instead of blocking it. */
const CALL_LIMIT_MS = 30_000;
const ASK_AGAIN_MS = 100;

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
  return (await callAction(baseUrl, 'PLAT_BP_CalculateRepaymentSchedule', { jsonParam })) as readonly Row[];
}

/** Repeats a call while an instance refuses it because it is busy; a slow machine makes it so at any time. */
export async function untilAdmitted(call: () => Promise<Response>): Promise<Response> {
  const response = await call();
  if (response.status !== 503) return response;
  await response.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  return untilAdmitted(call);
}

/** Calls an action once and returns its answer; rejects with the problem of a refusal. */
export async function callAction(baseUrl: string, name: string, body: object): Promise<unknown> {
  const path = `/platapi/automation-processors/actions/${name}`;
  const response = await post(baseUrl, body, { path });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${answer}`);
  return JSON.parse(answer) as unknown;
}

/** Stores a schedule request whose caller does not wait, and returns the address of its result. */
export async function submitSchedule(baseUrl: string): Promise<string> {
  const headers = { prefer: 'respond-async' };
  const response = await post(baseUrl, { jsonParam: PROOF_REQUEST }, { headers });
  const location = response.headers.get('location');
  if (response.status !== 202 || location === null) throw new Error(`${response.status}: not stored`);
  return location;
}

/** Asks for the result at an address until it is there, at most for a time. */
export async function waitForResult(
  baseUrl: string,
  location: string,
  limitMs = CALL_LIMIT_MS,
): Promise<readonly Row[]> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const response = await fetch(new URL(location, baseUrl), { signal: AbortSignal.timeout(CALL_LIMIT_MS) });
    const answer = await response.text();
    if (response.status === 200) return JSON.parse(answer) as readonly Row[];
    if (response.status !== 202 || performance.now() > giveUpAt)
      throw new Error(`${response.status} ${answer}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
