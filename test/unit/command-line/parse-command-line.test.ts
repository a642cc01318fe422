import { describe, expect, it } from 'vitest';
import {
  flag,
  oneOf,
  parseCommandLine,
  parsed,
  readCommand,
  refuseFaults,
  optionalText,
  textList,
  unexpectedArguments,
  UsageError,
  wholeNumber,
} from '../../../scripts/command-line/parse-command-line.ts';

const OPTIONS = {
  json: flag(),
  topic: textList(),
  reason: optionalText(),
  limit: wholeNumber(1, 500),
  format: oneOf(['csv', 'ndjson']),
  day: parsed((sent) => (sent === 'today' ? 1 : undefined), 'today'),
};
const parse = (...args: string[]) => parseCommandLine(args, OPTIONS);

describe('parseCommandLine', () => {
  it('returns a value for each option, given or not', () => {
    expect(parse()).toEqual({
      values: { json: false, topic: [] },
      positionals: [],
      given: [],
      faults: [],
    });
    const args = '--json a --topic x --topic=y --reason r --limit 500 --format csv b --day today'.split(' ');
    expect(parse(...args)).toEqual({
      values: { json: true, topic: ['x', 'y'], reason: 'r', limit: 500, format: 'csv', day: 1 },
      positionals: ['a', 'b'],
      given: ['json', 'topic', 'topic', 'reason', 'limit', 'format', 'day'],
      faults: [],
    });
  });

  it('reports every invalid value', () => {
    expect(parse('--limit', '0', '--format', 'xml', '--day', 'never')?.faults).toEqual([
      '--limit must be a whole number from 1 to 500',
      '--format must be one of csv, ndjson',
      '--day must be today',
    ]);
    for (const limit of ['501', '1.5', '', 'many', '99999999999', '-1']) {
      expect(parse(`--limit=${limit}`)?.faults).toHaveLength(1);
    }
    expect(parse('--limit', '1')?.faults).toEqual([]);
  });

  it('returns undefined for --help, even with invalid options', () => {
    expect(parse('--limit', 'wrong', '-h')).toBeUndefined();
    expect(parse('--help')).toBeUndefined();
  });

  it.each([
    [['--tpoic', 'x'], 'unknown option --tpoic; did you mean --topic?\n(see --help)'],
    [['--limits', '5'], 'unknown option --limits; did you mean --limit?\n(see --help)'],
    [['--hlep'], 'unknown option --hlep; did you mean --help?\n(see --help)'],
    [['--colour'], 'unknown option --colour\n(see --help)'],
    [['-x'], 'unknown option -x\n(see --help)'],
  ])('refuses %j and suggests a similar name', (args, message) => {
    expect(() => parse(...args)).toThrow(new UsageError(message));
  });

  it.each([
    [['--reason'], '--reason'],
    [['--json=yes'], '--json'],
    [['--reason', '--json'], '--reason'],
  ])('refuses %j, naming the option', (args, name) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(name);
  });
});

describe('readCommand', () => {
  const COMMANDS = { list: ['limit'], show: ['limit', 'reason'], drop: [] };
  const command = (...args: string[]) => {
    const line = parse(...args);
    return line && readCommand(line, COMMANDS);
  };

  it('accepts the options of the command and those of all commands', () => {
    expect(command('list', '--limit', '5', '--json')).toBe('list');
    expect(command('--reason', 'r', 'show', 'more')).toBe('show');
  });

  it.each([
    [[], 'the command must be one of: list, show, drop\n(see --help)'],
    [['lsit'], 'the command must be one of: list, show, drop; did you mean list?\n(see --help)'],
    [['purge'], 'the command must be one of: list, show, drop\n(see --help)'],
    [
      ['drop', '--limit', '5', '--reason', 'r', '--limit', '6'],
      '--limit is not an option of drop\n--reason is not an option of drop\n(see --help)',
    ],
  ])('refuses %j', (args, message) => {
    expect(() => command(...args)).toThrow(new UsageError(message));
  });
});

it('refuseFaults reports all faults together', () => {
  expect(() => refuseFaults([])).not.toThrow();
  expect(() => refuseFaults(['one', ...unexpectedArguments(['two'])])).toThrow(
    new UsageError('one\nunexpected argument "two"\n(see --help)'),
  );
});
