import type { Rule } from './rule.ts';

/** Each call is answered within milliseconds; the rest is for the messages of others before it. */
const SOON_MS = 5_000;

const callsAreAnsweredSoon: Rule = {
  name: 'without faults every call is answered soon, also behind messages that cannot be handled',
  source: 'docs/decisions/0008-one-message-one-fault.md',
  onActionAnswer: ({ id, isAsync, sentAtMs, answeredAtMs = sentAtMs }, { isCalm }) => {
    const waitedMs = answeredAtMs - sentAtMs;
    if (!isCalm || isAsync || waitedMs <= SOON_MS) return undefined;
    return { detail: `${id} was answered after ${waitedMs.toFixed(0)} ms`, ids: [id] };
  },
};

/** What a run without faults promises in addition. */
export const CALM_RULES: readonly Rule[] = [callsAreAnsweredSoon];
