import { expect, it } from 'vitest';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from '../../../shared/platform/parse-json.ts';

const valueOf = (sent: string | Buffer): unknown => {
  const parsed = parseJson(sent);
  return parsed.kind === 'parsed' ? parsed.value : parsed.faults;
};
const faultsOf = (sent: string | Buffer, maxValues?: number): readonly string[] => {
  const parsed = parseJson(sent, { maxValues });
  return parsed.kind === 'refused' ? parsed.faults.map(({ path, code }) => `${path} ${code}`) : [];
};
const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"${index}":",:"`).join();
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

it('reads text and bytes in UTF-8, and refuses others with the position but without quoting it', () => {
  expect(valueOf('{"a":"€😀"}')).toEqual({ a: '€😀' });
  expect(valueOf(Buffer.from('\ufeff{"a":"€😀"}'))).toEqual({ a: '€😀' });
  expect(valueOf('\ufeff[1]')).toEqual([1]);
  expect(valueOf(Buffer.from(' null '))).toBe(null);
  expect(parseJson('{"token":"secret",oops}')).toMatchObject({
    faults: [{ path: 'body', code: 'malformed-json', message: 'is not valid JSON (at character 18)' }],
  });
  expect(parseJson('{\n"a":1,\n}')).toMatchObject({
    faults: [{ message: 'is not valid JSON (at line 3, column 1)' }],
  });
  expect(faultsOf('')).toEqual(['body malformed-json']);
  expect(faultsOf(Buffer.from([0x22, 0xc3, 0x22]))).toEqual(['body not-utf8']);
  expect(faultsOf(Buffer.from('[]', 'utf16le'))).toEqual(['body malformed-json']);
});

it.each([
  ['{"InstallmentsNo":4,"InstallmentsNo":5}', ['InstallmentsNo']],
  ['{"a":{"b":1,"c":[{"d":1},{"d":1,"e":[0],"d":2}]}}', ['a.c[1].d']],
  ['{"a":1,"b":{"x":1,"x":1},"a":2}', ['b.x', 'a']],
  ['[[0,{"a":1,"a":1}]]', ['[0][1].a']],
  [String.raw`{"a\"":{"b":"}","\u0062":2}}`, ['a".b']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"a":1,"a":{"a":1}}', ['a']],
  ['{"":1,"":1}', ['']],
  ['{"a":[1.00000000000000000001],"a":1}', ['a']],
])('refuses repeated members and names their paths: %s', (text, paths) => {
  expect(faultsOf(text)).toEqual(paths.map((path) => `${path} repeated-member`));
});

it('names at most a hundred repeated members, by 60 characters', () => {
  const twice = Array.from({ length: 101 }, (_, name) => `"${name}":1,"${name}":2`).join();
  expect(faultsOf(`{${twice}}`).length).toBe(100);
  const long = JSON.stringify('n'.repeat(61));
  expect(faultsOf(`{${long}:1,${long}:2}`)).toEqual([`${'n'.repeat(60)} repeated-member`]);
});

it('searches the first MiB of a text for the paths of repeated members', () => {
  const long = `{"a":1,"a":{"b":"${String.raw`\n`.repeat(600_000)}","c":1,"c":2}}`;
  expect(faultsOf(long)).toEqual(['a repeated-member']);
  expect(parseJson(long.replace('"a":1,', ''))).toEqual({
    kind: 'refused',
    faults: [{ path: 'body', code: 'repeated-member', message: 'must have each member of an object once' }],
  });
});

it('accepts equal names in different objects, and names that differ in case', () => {
  const text = '{"a":{"a":1},"b":[{"a":1},{"a":":,{\\"a"}],"A":1,"__proto__":{"a":1}}';
  expect(JSON.stringify(valueOf(text))).toBe(text);
});

it('keeps the digits of numbers that have more than a double', () => {
  const numbers = `9999999.9999999999 8.33333333333333333333 9007199254740993 -12345678901234567890.10
      1.00000000000000000001e2 1e-400 -1e-99999999999999999999`;
  const text = `{"a":[${numbers.split(/\s+/).join()}]}`;
  for (const each of [text, '[1e-400]', '[1E-400]']) expect(JSON.stringify(valueOf(each))).toBe(each);
});

it.each([
  ['1.10', 1.1],
  ['100.00', 100],
  ['1e2', 100],
  ['1E+2', 100],
  ['-0', -0],
  ['0.00e-99999999999999999999', 0],
  ['0.1000000000000000000000000000000', 0.1],
  ['100000000000000000000', 1e20],
  ['33.333333333333336', 33.333333333333336],
  ['1e400', Infinity],
])('reads %s as a number, which has the same value or none', (text, value) => {
  expect(valueOf(text)).toBe(value);
});

it(`allows ${MAX_JSON_DEPTH} levels`, () => {
  expect(faultsOf(nested(MAX_JSON_DEPTH))).toEqual([]);
  expect(faultsOf(nested(MAX_JSON_DEPTH + 1))).toEqual(['body too-deep']);
  expect(faultsOf(String.raw`["${'['.repeat(99)}\"${'['.repeat(99)}"]`)).toEqual([]);
});

it('allows as many values and characters of a number as the limits, counting long names more', () => {
  expect(faultsOf(`{${members(MAX_JSON_VALUES)}}`)).toEqual([]);
  expect(faultsOf(`{${members(MAX_JSON_VALUES + 1)}}`)).toEqual(['body too-many-values']);
  expect(faultsOf(`[${'0,'.repeat(MAX_JSON_VALUES)}0]`)).toEqual(['body too-many-values']);
  expect(faultsOf('[1,2,3]', 2)).toEqual(['body too-many-values']);
  expect(faultsOf(JSON.stringify(['\n'.repeat(511)]), 2)).toEqual([]);
  expect(faultsOf(JSON.stringify(['\n'.repeat(512)]), 2)).toEqual(['body too-many-values']);
  expect(faultsOf(`{"${'n'.repeat(127)}":1}`, 2)).toEqual([]);
  expect(faultsOf(`{"${'n'.repeat(128)}":1}`, 2)).toEqual(['body too-many-values']);
  expect(faultsOf(`[0.${'0'.repeat(98)}]`)).toEqual([]);
  expect(faultsOf(`{"a":${'7'.repeat(101)}}`)).toEqual(['body number-too-long']);
});
