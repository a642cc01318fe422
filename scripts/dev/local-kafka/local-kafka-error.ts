import { SystemError } from '../../../shared/platform/errors.ts';

/** The exit code of `npm run kafka` for each error; it is 0 after a requested stop. */
export const EXIT_CODES = {
  'broker-failed': 1,
  'java-missing': 3,
  'maven-missing': 3,
  'port-in-use': 4,
  'fetch-failed': 5,
} as const;

type LocalKafkaErrorCode = keyof typeof EXIT_CODES;

/** The local Kafka cannot start, or one of its processes failed. */
export class LocalKafkaError extends SystemError {
  override readonly name = 'LocalKafkaError';
  declare readonly code: LocalKafkaErrorCode;

  constructor(code: LocalKafkaErrorCode, message: string, cause?: unknown) {
    super(code, message, { canRetry: false, cause });
  }
}

/** True if Java or Maven is missing. Kafka tests are then skipped, unless CI=true; most other errors make them fail. */
export function isRequirementMissing(error: unknown): boolean {
  return (
    error instanceof LocalKafkaError && (error.code === 'java-missing' || error.code === 'maven-missing')
  );
}
