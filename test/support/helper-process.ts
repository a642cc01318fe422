/** Child processes of a test, such as one that generates load: they answer each message of the test and end with it. */
import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Starts a script of this project, which calls {@link answerTest}; it ends with the test. */
export async function startHelper(script: string, ...args: readonly string[]): Promise<ChildProcess> {
  const child = fork(script, args);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** Sends a message to a helper and resolves with its answer. Rejects if there is none within the time limit. */
export async function askHelper<T>(child: ChildProcess, words: Serializable, limitMs: number): Promise<T> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(limitMs) });
  child.send(words);
  const [value] = await answer;
  return value as T;
}
