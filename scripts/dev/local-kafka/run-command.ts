import { spawn } from 'node:child_process';

export interface CommandResult {
  /** 0 for success, `missing` when there is no such command. */
  readonly code: number | 'missing';
  /** Standard output and error as they came, the last MAX_OUTPUT_CHARS of them. */
  readonly output: string;
}

/** Enough to show why a command failed; Maven may print much more. */
const MAX_OUTPUT_CHARS = 16_384;

/** Runs a command to its end, or kills it (code 1) when it takes longer than `limitMs` or this process ends. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly limitMs: number; readonly cwd?: string },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): boolean => child.kill('SIGKILL');
    const limit = setTimeout(kill, options.limitMs);
    process.once('exit', kill);
    const settle = (): void => {
      clearTimeout(limit);
      process.off('exit', kill);
    };
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT_CHARS);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle();
      if (error.code === 'ENOENT') resolve({ code: 'missing', output: error.message });
      else reject(error);
    });
    child.once('close', (code) => {
      settle();
      resolve({ code: code ?? 1, output });
    });
  });
}
