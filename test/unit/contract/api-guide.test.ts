import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../../shared/contract/actions.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { TOPIC } from '../../../shared/messaging/topic-names.ts';
import { createProblem } from '../../../shared/platform/create-problem.ts';
import { ERROR_CODES } from '../../../shared/platform/error-codes.ts';

const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text) as object,
);
const [request, firstInstallment, generic, problem] = blocks;
const action = ACTIONS[0];
const example = action?.examples[0];

test('the request and the answer of the guide are those of the worked example', () => {
  expect(request).toEqual(example?.request);
  expect([firstInstallment]).toEqual((example?.reply as readonly object[] | undefined)?.slice(0, 1));
});

test('the generic form of the guide is read as one', () => {
  expect(action?.read(generic)).toMatchObject({
    faults: expect.arrayContaining([expect.anything()]) as unknown,
  });
  expect(action?.read(generic)).not.toMatchObject({ faults: [{ path: 'Data' }] });
});

test('the problem of the guide is what such a request is answered with', () => {
  const members = { ...(example?.request['jsonParam'] as object), Amount: '100', InstallmentsNo: null };
  const read = action?.read({ jsonParam: members });
  const errors = read?.kind === 'invalid' ? read.faults : [];
  expect(problem).toEqual(createProblem('invalid-request', { errors, correlationId: 'loan-4711' }));
});

test('the table of errors is the list of error codes', () => {
  const rows = [...guide.matchAll(/^\| (\d{3}) \| `([\w-]+)` \| (.+) \| (yes|no) \|$/gm)];
  const documented = rows.map(([, status, code, title, again]) => [Number(status), code, title, again]);
  const listed = Object.entries(ERROR_CODES).map(([code, { status, title, retryable }]) => [
    status,
    code,
    title,
    retryable ? 'yes' : 'no',
  ]);
  expect(documented).toEqual(listed);
});

test('topics and headers of the guide exist', () => {
  const topics = [...guide.matchAll(/plat\.[a-z]+\.[a-z.-]+\.v\d/g)].map(([name]) => name);
  expect(topics.length).toBeGreaterThan(2);
  for (const topic of topics) expect(Object.values(TOPIC)).toContain(topic);
  const headers = [...guide.matchAll(/\b(?:kafka_\w+|plat-[a-z]+(?:-[a-z]+)*)/g)].map(([name]) => name);
  expect(headers.length).toBeGreaterThan(8);
  for (const header of headers) expect(Object.values(HEADER)).toContain(header);
});
