import { SystemError } from '../../../shared/platform/errors.ts';

/** `mta-missing` and `fetch-failed` are what the machine lacks (no Debian, no network); `mta-failed` is what broke. */
export type LocalMtaErrorCode = 'mta-missing' | 'fetch-failed' | 'mta-failed';

/** The local mail server cannot be had. The message says why and what to do about it. */
export class LocalMtaError extends SystemError {
  override readonly name = 'LocalMtaError';
  declare readonly code: LocalMtaErrorCode;

  constructor(code: LocalMtaErrorCode, message: string, cause?: unknown) {
    super(code, message, { canRetry: false, cause });
  }
}

/** True for what this machine lacks, as against what broke: a suite may be left out for the first only. */
export function isMtaLacking(error: unknown): boolean {
  return error instanceof LocalMtaError && error.code !== 'mta-failed';
}
