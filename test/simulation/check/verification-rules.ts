import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { codesOf } from '../workload/verifications.ts';
import type { VerificationExchange } from './history.ts';
import { type Finding, finding, type Rule } from './rule.ts';

type Check = VerificationExchange['checks'][number];

const statusOf = ({ answer }: Check): string | undefined =>
  answer?.status === 200 ? (JSON.parse(answer.body) as { readonly status: string }).status : undefined;

const codesCountOnce: Rule = {
  name: 'a code is accepted once, and none after the end of its verification or after five checks',
  source: 'N10',
  atEnd: (_end, { history }) =>
    history.verifications.flatMap(({ id, checks }): readonly Finding[] => {
      const answered = checks.filter((check) => statusOf(check) !== undefined);
      const approved = answered.filter((check) => statusOf(check) === 'approved');
      const findings: Finding[] = [];
      if (approved.length > 1) findings.push(finding(`${id} was approved ${approved.length} times`, id));
      if (answered.length > 5) findings.push(finding(`${id} had ${answered.length} checks`, id));
      const end = Math.min(
        ...answered.filter((check) => statusOf(check) !== 'pending').map((check) => check.answeredAtMs),
      );
      if (answered.some(({ sentAtMs }) => sentAtMs > end))
        findings.push(finding(`${id} was checked after its end`, id));
      for (const { code } of approved)
        if (!codesOf({ history }, id).includes(code)) findings.push(finding(`${id} took a wrong code`, id));
      return findings;
    }),
};

/** Checks have to be on their topic; a code that was typed there is not a leak. */
const REQUESTS: string = TOPIC.verificationRequests;

const codesAreNotWritten: Rule = {
  name: 'no code of a verification is on a topic',
  source: 'N10',
  atEnd: (_end, { history }) => {
    const codes = history.verifications.flatMap(({ id }) => codesOf({ history }, id));
    const places = history.records.flatMap(({ topic, value, headers }) => {
      const text = `${value?.toString('latin1')} ${Object.values(headers).map(String).join(' ')}`;
      return topic !== REQUESTS && codes.some((code) => text.includes(code)) ? [topic] : [];
    });
    return places.map((topic) => finding(`a code is on ${topic}`));
  },
};

const rightCodeIsAccepted: Rule = {
  name: 'without faults the newest code is accepted',
  source: 'N10',
  atEnd: ({ isCalm }, { history }) =>
    history.verifications.flatMap(({ id, checks }): readonly Finding[] => {
      const [first] = checks.toSorted((one, other) => one.sentAtMs - other.sentAtMs);
      const codes = codesOf({ history }, id);
      const isRight = first !== undefined && codes.length === 1 && first.code === codes[0];
      // Of checks that are sent at the same time, any may be the first.
      return isCalm && isRight && !checks.some((one) => statusOf(one) === 'approved')
        ? [finding(`${id} did not take its code: ${first.answer?.status}`, id)]
        : [];
    }),
};

export const VERIFICATION_RULES: readonly Rule[] = [codesCountOnce, codesAreNotWritten, rightCodeIsAccepted];
