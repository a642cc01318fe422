import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

const execute = promisify(execFile);

/**
 * Runs a program without input. Kills it after `limitMs` (code 1), or when this process exits. The code is `missing` if
 * the program is not installed. `output` is stdout, followed by stderr; rejects if one of them exceeds 64 MiB.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  {
    limitMs,
    ...place
  }: { readonly limitMs: number; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<{ readonly code: number | 'missing'; readonly output: string }> {
  const options = { ...place, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
  const running = execute(program, [...args], options);
  running.child.stdin?.on('error', () => undefined).end();
  const kill = (): boolean => running.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const { stdout, stderr } = await running;
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, message, stdout = '', stderr = '' } = error as ExecFileException;
    if (code === 'ENOENT') return { code: 'missing', output: message };
    if (typeof code === 'string') throw error;
    return { code: code ?? 1, output: stdout + stderr };
  } finally {
    process.off('exit', kill);
  }
}
