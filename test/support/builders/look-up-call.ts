/** Product look-ups over HTTP, one by one or without a pause while something changes. */

import { post } from './schedule-call.ts';

const LOOK_UP_PATH = '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode';

/** Status of a look-up, and the product's name where there is one. */
export interface LookUpAnswer {
  readonly status: number;
  readonly name: string | undefined;
}

/** Looks a product up by its code. */
export async function lookUp(baseUrl: string, BankingProductCode: string): Promise<LookUpAnswer> {
  const response = await post(baseUrl, { BankingProductCode }, { path: LOOK_UP_PATH });
  const answer = (await response.json()) as { readonly BankingProduct?: { readonly Name: string } };
  return { status: response.status, name: answer.BankingProduct?.Name };
}

/** An answer, and when it was there. */
export interface TimedAnswer extends LookUpAnswer {
  readonly askedAt: number;
}

/** Requests that go on until they are stopped. */
export interface LookUpTraffic {
  /** All answers until now. */
  answers(): readonly TimedAnswer[];
  /** Resolves with all answers, in the order of the questions of each caller. */
  stop(): Promise<readonly TimedAnswer[]>;
}

const CALLERS = 4;

/** Starts callers who look a product up again and again, the next time as soon as they have an answer. */
export function startLookUps(baseUrl: string, code: string): LookUpTraffic {
  const over = new AbortController();
  const answers: TimedAnswer[] = [];
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      answers.push({ ...(await lookUp(baseUrl, code)), askedAt });
    }
  });
  return {
    answers: () => answers,
    stop: async () => {
      over.abort();
      await Promise.all(callers);
      return answers;
    },
  };
}
