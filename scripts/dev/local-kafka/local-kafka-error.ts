import { SystemError } from '../../../shared/platform/errors.ts';

/** What can go wrong, and the exit code of `npm run kafka` for it. 0 is a stop on request. */
export const EXIT_CODES = {
  'broker-failed': 1,
  'wrong-usage': 2,
  'java-missing': 3,
  'maven-missing': 3,
  'port-in-use': 4,
  'fetch-failed': 5,
} as const;

export type LocalKafkaErrorCode = keyof typeof EXIT_CODES;

/** The local broker cannot be had. The message says what to do about it. */
export class LocalKafkaError extends SystemError {
  override readonly name = 'LocalKafkaError';
  declare readonly code: LocalKafkaErrorCode;

  constructor(code: LocalKafkaErrorCode, message: string, cause?: unknown) {
    super(code, message, { canRetry: false, cause });
  }
}

/** True for what this machine lacks, as against what broke: a suite may be left out for the first only. */
export function isRequirementMissing(error: unknown): boolean {
  return (
    error instanceof LocalKafkaError && (error.code === 'java-missing' || error.code === 'maven-missing')
  );
}
