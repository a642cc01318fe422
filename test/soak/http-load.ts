/** Calls at a constant rate, whose responses identify the call, so that a swapped reply is detected. */

import { PMT_TERMS, PROOF_REQUEST } from '../support/builders/schedule-call.ts';

/** Actions whose responses identify the request. */
export type CallKind = 'schedule' | 'payment' | 'simulation' | 'product';

export type CallEnd =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | null;
      readonly body: string;
      readonly isOwn: boolean;
    }
  /** The connection failed, so nothing was sent. */
  | { readonly kind: 'unconnected' }
  /** The connection ended before the response started, so only the log shows whether the request was accepted. */
  | { readonly kind: 'cut' }
  /** The connection ended within a response, or the call timed out. */
  | { readonly kind: 'broken'; readonly reason: string };

export interface Load {
  calls(): number;
  /** Stops calling; resolves when the calls in flight have ended. Idempotent. */
  stop(): Promise<void>;
}

const ACTIONS = '/platapi/automation-processors/actions/';
/** Products of the example catalogue that are found by code. */
const PRODUCTS = ['TL-PERSONAL', 'TL-STUDY', 'MG-HOME', 'LS-CAR', 'CC-CLASSIC', 'DP-TERM'];
const MINOR_PER_UNIT = 100;
/** Amount of the first call; each later call adds one minor unit. */
const LEAST_MINOR = 600_000;
/** Longer than any reply may take; a later reply counts as lost. */
const CALL_LIMIT_MS = 20_000;
/** Calls are sent in groups at this interval, so that a restart finds several in flight. */
const BURST_MS = 100;

/** Starts calls independently of their duration: a load that waited for responses would pause together with the system. */
export function startLoad(perSecond: number, call: (number: number) => Promise<void>): Load {
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    for (; begun < ((performance.now() - startedAt) * perSecond) / 1_000; begun += 1) {
      const work = call(begun).finally(() => inFlight.delete(work));
      inFlight.add(work);
    }
  }, BURST_MS);
  return {
    calls: () => begun,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(inFlight);
    },
  };
}

/** Makes call `number`, counted from 0, once; the kinds alternate. */
export async function callOnce(
  origin: string,
  id: string,
  { kinds, number }: { readonly kinds: readonly CallKind[]; readonly number: number },
): Promise<CallEnd> {
  const { action, body, find, mark } = markedCall(kinds, number);
  let response: Response;
  try {
    response = await fetch(origin + ACTIONS + action, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-correlation-id': id },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return { kind: 'unconnected' };
    return code === undefined ? { kind: 'broken', reason: String(error) } : { kind: 'cut' };
  }
  try {
    const { status, headers } = response;
    const text = await response.text();
    const isOwn = headers.get('x-correlation-id') === id && (status !== 200 || isMarked(text, find, mark));
    return { kind: 'answer', status, retryAfter: headers.get('retry-after'), body: text, isOwn };
  } catch (error) {
    return { kind: 'broken', reason: String(error) };
  }
}

function isMarked(text: string, find: (body: never) => unknown, mark: unknown): boolean {
  try {
    return find(JSON.parse(text) as never) === mark;
  } catch {
    return false;
  }
}

interface MarkedCall {
  readonly action: string;
  readonly body: object;
  /** Finds what must be equal to `mark` in the response. */
  readonly find: (body: never) => unknown;
  readonly mark: unknown;
}

function markedCall(kinds: readonly CallKind[], number: number): MarkedCall {
  const amount = (LEAST_MINOR + number) / MINOR_PER_UNIT;
  const code = PRODUCTS[Math.floor(number / kinds.length) % PRODUCTS.length];
  const calls: Readonly<Record<CallKind, MarkedCall>> = {
    schedule: {
      action: 'PLAT_BP_CalculateRepaymentSchedule',
      body: { jsonParam: { ...PROOF_REQUEST, Amount: amount } },
      find: ([row]: readonly { readonly RemainingValue?: number }[]) => row?.RemainingValue,
      mark: amount,
    },
    // One instalment, so that its principal equals the amount.
    payment: {
      action: 'PLAT_BP_CalculatePMT',
      body: { jsonParam: { ...PMT_TERMS, InstallmentsNo: 1, FinancedAmount: amount } },
      find: ({ PrincipalValue }: { readonly PrincipalValue?: number }) => PrincipalValue,
      mark: amount,
    },
    simulation: {
      action: 'PLAT_BP_Simulate',
      body: { productCode: 'TL-PERSONAL', amount, loanPeriod: 6, scheduleType: 'EqualInstallments' },
      find: ({ Records: [record] }: { readonly Records: readonly { readonly ScheduleJson: string }[] }) =>
        (JSON.parse(record?.ScheduleJson ?? '') as { paymentSchedule: { remainingValue: number }[] })
          .paymentSchedule[0]?.remainingValue,
      mark: amount,
    },
    product: {
      action: 'PLAT_BP_GetBankingProductByCode',
      body: { BankingProductCode: code },
      find: ({ BankingProduct }: { readonly BankingProduct?: { readonly BankingProductCode?: string } }) =>
        BankingProduct?.BankingProductCode,
      mark: code,
    },
  };
  return calls[kinds[number % kinds.length] ?? 'schedule'];
}
