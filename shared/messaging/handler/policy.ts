import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import type { Outcome } from '../outcome.ts';
import type { Request } from './request.ts';

/**
 * One concern of handling a request: decides its outcome, or leaves it to the next policy by answering undefined. A
 * throw is lost infrastructure or a bug; whoever runs the policies tells which.
 */
export type Policy = (request: Request) => MaybePromise<Outcome | undefined>;

/** Asks the policies in their order until one decides. Stays synchronous as long as they do. */
export function decideBy(policies: readonly Policy[], request: Request, from = 0): MaybePromise<Outcome> {
  for (let index = from; index < policies.length; index += 1) {
    const outcome = policies[index]?.(request);
    if (outcome === undefined) continue;
    if (!isPromise(outcome)) return outcome;
    return outcome.then((late) => late ?? decideBy(policies, request, index + 1));
  }
  throw new Error('no policy decided about a request');
}
