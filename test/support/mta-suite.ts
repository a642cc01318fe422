import { describe } from 'vitest';
import type { MtaPlan } from '../../scripts/dev/local-mta/exim-settings.ts';
import { isMtaMissing } from '../../scripts/dev/local-mta/fetch-exim.ts';
import { type LocalMta, startLocalMta } from '../../scripts/dev/local-mta/start-local-mta.ts';
import { errorText } from '../../shared/platform/errors.ts';

/** A real mail server, and the `describe` for the tests that require it. */
export interface MtaSuite {
  /** Undefined only if `suite` skips its tests. */
  readonly mta: LocalMta | undefined;
  readonly suite: typeof describe | typeof describe.skip;
}

/**
 * Call at the top of a test file. Skips its tests (`npm test` lists them) on a machine that cannot fetch the packages. Throws
 * with CI=true, or when the server does not start.
 */
export async function mtaOrSkip(options: Omit<MtaPlan, 'folder' | 'port'>): Promise<MtaSuite> {
  try {
    return { mta: await startLocalMta(options, report), suite: describe };
  } catch (error) {
    if (!isMtaMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO MAIL SERVER: the suite that needs it is skipped: ${errorText(error)}\n`);
    return { mta: undefined, suite: describe.skip };
  }
}

function report(line: string): void {
  process.stderr.write(`mail server: ${line}\n`);
}
