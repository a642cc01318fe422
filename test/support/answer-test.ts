import type { Serializable } from 'node:child_process';
import { errorText } from '../../shared/platform/errors.ts';

/** In a helper process: reports that it is ready, answers each message of the test, and exits with the test. */
export function answerTest(answer: (words: never) => Promise<Serializable>): void {
  process.on('message', (words) => {
    answer(words as never).then(
      (value) => process.send?.(value),
      (error: unknown) => {
        process.stderr.write(`${errorText(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}
