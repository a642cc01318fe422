import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../scripts/command-line/parse-command-line.ts';
import { EXIT_CODES } from '../../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { HELP, parseArguments } from '../../../../scripts/dev/local-kafka/kafka-arguments.ts';

describe('the command line of npm run kafka', () => {
  it('starts one node and a registry on free ports by default', () => {
    expect(parseArguments([])).toEqual({ json: false, nodes: 1, registry: true });
    const args = '--nodes 3 --port 9092 --registry-port=8081 --json'.split(' ');
    expect(parseArguments(args)).toMatchObject({ nodes: 3, port: 9092, registryPort: 8081, json: true });
  });

  it.each([
    [['--nodes', '2'], '--nodes must be one of 1, 3'],
    [['--port', '0'], '--port must be a whole number from 1 to 65535'],
    [['--port', '9092x'], '--port must be a whole number'],
    [['--nodes', '3', '--port', '65534'], '--port must be a port from 1 to 65533'],
    [['--registry-port', '-1'], 'argument is ambiguous'],
    [['--no-registry', '--registry-port', '8081'], 'exclude each other'],
    [['--speed'], '--speed'],
    [['stray'], 'stray'],
  ])('refuses %j and names the fault', (args, message) => {
    expect(() => parseArguments(args)).toThrow(message);
    expect(() => parseArguments(args)).toThrow(UsageError);
  });

  it('documents every option and exit code in its help', () => {
    for (const option of ['--nodes', '--port', '--registry-port', '--no-registry', '--outlive-parent']) {
      expect(HELP).toContain(`${option} `);
    }
    for (const code of Object.values(EXIT_CODES)) expect(HELP).toMatch(new RegExp(`\\b${code} [a-zA-Z]`));
  });
});
