import { expect, test } from 'vitest';
import { codeSamples } from '../../../../../shared/contract/documents/page/code-samples.ts';

const body = { name: 'D\'Arc \\ "true" null', list: [1.5, true, false, null] };
const samples = codeSamples({ path: '/bank/actions/One', headers: { 'x-sender-id': 'platrealm' }, body });
const codeIn = (language: string): string => samples.find((one) => one.language === language)?.code ?? '';

test('every sample calls the address with all headers', () => {
  expect(samples.map(({ title }) => title)).toEqual(['curl', 'TypeScript', 'Java', 'Python']);
  for (const { code } of samples) {
    expect(code).toContain('/bank/actions/One');
    expect(code).toMatch(/content-type['"]?(?:: |, )['"]?application\/json/);
    expect(code).toMatch(/x-sender-id['"]?(?:: |, )['"]?platrealm/);
  }
});

test('curl ends and reopens its quotes at an apostrophe', () => {
  expect(codeIn('curl')).toContain(String.raw`"D'\''Arc \\ \"true\" null"`);
});

test('TypeScript has the body as JSON', () => {
  const text = /JSON\.stringify\((\{[^]*?\n {2}\})\)/.exec(codeIn('typescript'))?.[1] ?? '';
  expect(JSON.parse(text)).toEqual(body);
});

test('Java escapes backslashes in its text block', () => {
  const text = /ofString\("""\n([^]*?)\n\s+"""\)/.exec(codeIn('java'))?.[1] ?? '';
  expect(JSON.parse(text.replaceAll('\\\\', '\\'))).toEqual(body);
});

test('Python has its own words for true, false and null, and texts as they are', () => {
  expect(codeIn('python')).toContain(String.raw`"D'Arc \\ \"true\" null"`);
  expect(codeIn('python').replaceAll(/\s+/g, ' ')).toContain('[ 1.5, True, False, None ]');
});

test('a call without a body is a GET', () => {
  for (const { code } of codeSamples({ path: '/bank/status', headers: {} })) {
    expect(code).toContain('/bank/status');
    expect(code).not.toMatch(/POST|content-type|data=| -d /);
  }
});
