/** The problem document (RFC 9457, rule E1), which is the body of every error reply over HTTP and Kafka. */

import { z } from 'zod';
import { ERROR_CODES, type Problem } from '../../platform/problem.ts';
import { toFaults } from './faults.ts';
import { invalid, type ReadRequest } from './request-reader.ts';
import { namedObject } from './field-kinds.ts';

export const faultShape = namedObject('Fault', {
  path: z
    .string()
    .describe('The field in the spelling of the interface, such as jsonParam.Commission[0].SourceValue.'),
  code: z.string().describe('Stable code of the fault.'),
  message: z.string().describe('What is wrong and what is allowed, in words.'),
});

export const problemShape = namedObject('Problem', {
  type: z.string().describe('URN of the kind of problem.'),
  title: z.string().describe('The kind of problem in words.'),
  status: z.number().meta({ type: 'integer', minimum: 400, maximum: 599 }).describe('HTTP status.'),
  detail: z.string().optional().describe('Description of this occurrence.'),
  instance: z.string().optional().describe('Address of this occurrence.'),
  code: z
    .string()
    .meta({ enum: Object.keys(ERROR_CODES) })
    .describe('Stable code of the kind of problem.'),
  errors: z.array(faultShape).optional().describe('All faults of the request.'),
  correlationId: z.string().optional().describe('The id of this request in the logs.'),
});

/** Reads the problem document of an error reply. Never throws. */
export function readProblem(body: unknown): ReadRequest<Problem> {
  const read = problemShape.safeParse(body);
  return read.success
    ? { kind: 'valid', payload: read.data as Problem, warnings: [] }
    : invalid(toFaults(read.error.issues, body));
}
