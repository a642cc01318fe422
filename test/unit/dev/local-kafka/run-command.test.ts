import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../../scripts/dev/local-kafka/run-command.ts';

describe('runCommand', () => {
  it('runs the command with an empty standard input', async () => {
    expect(await runCommand('cat', [], { limitMs: 5_000 })).toEqual({ code: 0, output: '' });
  });

  it('resolves to the exit code and the output of a command that fails', async () => {
    const failed = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3'], { limitMs: 5_000 });
    expect(failed).toEqual({ code: 3, output: 'out\nerr\n' });
  });

  it('kills a command at its time limit', async () => {
    expect(await runCommand('sleep', ['60'], { limitMs: 50 })).toEqual({ code: 1, output: '' });
  });

  it('reports a command that is not installed', async () => {
    expect(await runCommand('no-such-command', [], { limitMs: 5_000 })).toMatchObject({ code: 'missing' });
  });
});
