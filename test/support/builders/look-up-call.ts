/** Product look-ups over HTTP, single or continuous. */

import { post } from './schedule-call.ts';

const LOOK_UP_PATH = '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode';

/** The status of a look-up, and the product's name if the product was found. */
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

/** An answer with the time of its request. */
export interface TimedAnswer extends LookUpAnswer {
  readonly askedAt: number;
}

/** Continuous look-ups. */
export interface LookUpTraffic {
  /** All answers so far. */
  answers(): readonly TimedAnswer[];
  /** Stops the look-ups and resolves with all answers, in the order in which each caller sent its requests. */
  stop(): Promise<readonly TimedAnswer[]>;
}

const CALLERS = 4;

/** Starts callers that look up a product repeatedly without a pause. */
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
