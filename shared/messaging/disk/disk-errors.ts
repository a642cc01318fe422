/** Failures of the data folder. */

import { errorText, MessagingError } from '../../platform/errors.ts';
import type { BrokerErrorCode } from '../ports.ts';

/** Another process has the folder open. */
export function dataInUse(folder: string): MessagingError {
  const text = `the data folder ${folder} is open in another process: end that process, or set another DATA_DIR`;
  return failure('data-in-use', text);
}

/** `at`: the first damaged byte. */
export function dataDamaged(file: string, at: number): MessagingError {
  const text =
    `${file} is damaged at byte ${at}, before records that were acknowledged: restore the data folder from a copy, or ` +
    'start with another DATA_DIR';
  return failure('data-damaged', text);
}

/** The folder cannot be read or written, or is of another version. */
export function dataUnusable(reason: string, cause?: unknown): MessagingError {
  const detail = cause === undefined ? '' : `: ${errorText(cause)}`;
  return failure('data-unusable', `the data folder cannot be used: ${reason}${detail}`, cause);
}

/** An error that names the folder: of what the system reports, only the cause. */
export function folderError(folder: string, error: unknown): MessagingError {
  if (error instanceof MessagingError) return error;
  return dataUnusable(`${folder} cannot be read or written`, error);
}

function failure(code: BrokerErrorCode, text: string, cause?: unknown): MessagingError {
  return new MessagingError(code, text, { canRetry: false, cause });
}
