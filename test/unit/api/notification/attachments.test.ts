import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  cleanFileName,
  contentFaults,
  isAllowedName,
  isPlainFileName,
} from '../../../../shared/api/notification/attachments.ts';

it.each(['offer.pdf', 'Ofertă 2026.pdf', 'a', 'no ending', 'x.tar.gz', 'a'.repeat(255), '報告.txt'])(
  'the name of an attachment may be %j',
  (name) => {
    expect(isPlainFileName(name)).toBe(true);
    expect(cleanFileName(name)).toBe(name);
  },
);

it.each([
  ...String.raw`../offer.pdf|a/b.pdf|a\b.pdf|C:offer.pdf|offer.pdf:evil|.htaccess| .hidden|..|   `.split('|'),
  'a\r\nContent-Type: text/html',
  ...'a\u0000.pdf|a\u009f.pdf|=?UTF-8?B?xpQ=?=.pdf|a\ud800.pdf'.split('|'),
  'a'.repeat(256),
])('the name of an attachment must not be %j', (name) => {
  expect(isPlainFileName(cleanFileName(name))).toBe(false);
});

it.each(
  `pdf PDF png jpg jpeg gif webp tif tiff heic docx xlsx pptx odt ods odp doc xls rtf txt csv xml json ics zip p7m p7s
    asice tar.gz`.split(/\s+/),
)('the name of an attachment may end in .%s', (extension) => {
  expect(isAllowedName(`Offer 2026.${extension}`)).toBe(true);
});

it.each([
  ...`exe EXE pdf.exe scr js vbs ps1 lnk jar hta iso img svg SVG svgz html htm xhtml xht shtml mht mhtml docm dotm xlsm xltm
    xlam pptm potm ppsm xlsb xll one url eml msg wasm swf`
    .split(/\s+/)
    .map((extension) => `a.${extension}`),
  ...'a.exe.|a.exe .|a.exe\u200b|a.e\u00adxe|a.exe\u202c\u00a0|a.svg\u2069.|invoice\u202efdp.exe'.split('|'),
  ...'a.unknown|a.|no-extension|a.pdf\u0430'.split('|'),
])('the name of an attachment %j is refused', (name) => {
  expect(isAllowedName(cleanFileName(name))).toBe(false);
});

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const PNG = hex('89504e47 0d0a1a0a 0000000d 49484452 00000001 00000001 08060000 001f15c4 89');
const EXE = Buffer.concat([Buffer.from('MZ'), hex('900003000000')]);
const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n');

const BINARY_PGP = ['85010c03', '845e03', 'c1c04c03', '8c0d0409', '99010d04', 'a30102', 'd2c0'];

function zip(name: string, text: string): Buffer {
  const data = deflateRawSync(text);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(data.length, 18);
  head.writeUInt32LE(text.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), data]);
}

const office = (type: string) =>
  zip('[Content_Types].xml', `<Types><Override PartName="/main.xml" ContentType="${type}"/></Types>`);
const macros = Buffer.concat([
  hex('d0cf11e0a1b11ae1 0000000000000000'),
  Buffer.from('_VBA_PROJECT', 'utf16le'),
]);

const codeOf = async (name: string, content: Buffer | string) =>
  (await contentFaults([{ name, content: Buffer.from(content) }]))[0]?.code;

it.each<[string, string | Buffer]>([
  ['offer.pdf', PDF],
  ['offer.pdf', Buffer.concat([Buffer.from('\n \n'), PDF])],
  ['photo.png', PNG],
  ['notes.txt', 'Some notes'],
  ['notes.txt', 'MZ are the first letters of a program, but this is a text'],
  ['notes.csv', 'BMW;1200\n'],
  ['data.xml', '<?xml version="1.0"?><a/>'],
  ['day.ics', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n'],
  ['old.doc', hex('d0cf11e0a1b11ae1 0000000000000000')],
  ['protected.docx', hex('d0cf11e0a1b11ae1 0000000000000000')],
  ['files.zip', zip('a.txt', 'a')],
  ['letter.docx', zip('[Content_Types].xml', '<Types/>')],
  ['letter.p7m', hex('3082010206092a864886f70d010702')],
  ['offer.asice', zip('mimetype', 'application/vnd.etsi.asic-e+zip')],
  ['notes.txt', 'Write <b>bold</b> or <html> as you like'],
  ['entity.xml', '<?xml version="1.0"?><a xmlns:b="urn:b" c="&#x68;">R&amp;D</a>'],
  ['day.sta', ':20:STARTUMS\r\n:25:RNCB/RO49\r\n:28C:1/1\r\n'],
  ['day.940', '{1:F01RNCBROBUAXXX0000000000}{2:I940}{4:\r\n:20:1\r\n-}'],
  ['day.mt940', ':20:STARTUMS\r\n'],
  ['server.log', '2026-05-01 started\n'],
  ['certificates.p7c', hex('3082010206092a864886f70d010702')],
  ['stamp.tsr', hex('30820d0330030201003082')],
  ['keys.asc', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n'],
  ['letter.pgp', '-----BEGIN PGP MESSAGE-----\n'],
  ...BINARY_PGP.map((start): [string, Buffer] => ['letter.gpg', hex(`${start}0123456789abcdef0123456789`)]),
  ['photo.jfif', hex('ffd8ffe0 00104a46 49460001')],
])('content is accepted in %s: case %#', async (name, content) => {
  expect(await codeOf(name, content)).toBeUndefined();
});

it.each([
  ['offer.pdf', EXE],
  ['letter.p7m', EXE],
  ['tool.p7m', Buffer.from('\u007fELF\u0002\u0001\u0001')],
  ['run.txt', '#!/bin/sh\nrm -rf /\n'],
  ['run.txt', '\ufeff#!/bin/sh\n'],
  ['link.p7m', hex('4c000000 01140200 00000000 c0000000 00000046')],
  ['code.p7m', hex('cafebabe 00000034')],
  ['app.zip', zip('META-INF/MANIFEST.MF', 'Main-Class: A')],
  ['both.pdf', Buffer.concat([EXE, PDF])],
  ['letter.docx', office('application/vnd.ms-word.document.macroEnabled.main+xml')],
  ['sheet.zip', office('application/vnd.ms-excel.sheet.macroEnabled.main+xml')],
  ['old.doc', macros],
  ['old.xls', macros],
  ['page.txt', '<!doctype html><p>Hello'],
  ['page.csv', '\ufeff \n<HTML><script>1</script>'],
  ['drawing.xml', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
  [
    'page.xml',
    `<?xml version="1.0"?><!--${'-'.repeat(5_000)}--><a><b:p xmlns:b="http://www.w3.org/1999/xhtml"/></a>`,
  ],
  ['page.xml', Buffer.from('\ufeff<html xmlns="http://www.w3.org/1999/xhtml"/>', 'utf16le')],
  ['page.xml', '<!-- a --><a><script xmlns="http://www.w3.org/1999/xhtml"/></a>'],
  ['hidden.xml', '<a xmlns:svg="&#x68;ttp://www.w3.org/2000/svg"/>'],
  ['hidden.xml', "<?xml version='1.0'?><a><b xmlns = 'http://www.w3.org/2000/&s;vg'/></a>"],
  ['hidden.xml', Buffer.from('\ufeff<a xmlns:s="&#104;ttp://www.w3.org/2000/svg"/>', 'utf16le')],
  ['entity.xml', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a/>'],
  ['typed.xml', '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd"><a/>'],
  ['styled.xml', '<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><a/>'],
])('content is refused as executable in %s: case %#', async (name, content) => {
  expect(await codeOf(name, content)).toBe('refused-type');
});

it.each([
  ['offer.pdf', 'not one'],
  ['offer.pdf', PNG],
  ['photo.png', PDF],
  ['photo.jpg', PNG],
  ['notes.txt', PDF],
  ['notes.txt', hex('424d f6000000 00000000')],
  ['page.txt', zip('a.txt', 'a')],
  ['old.xls', 'a\tb'],
  ['offer.asice', PDF],
  ['letter.docx', 'not packed'],
])('content is refused in %s if it contradicts the extension: case %#', async (name, content) => {
  expect(await codeOf(name, content)).toBe('contradicting-type');
});

it('content is checked in files of maximum size, and reported with the position of the file', async () => {
  const largest = 7 * 1_024 * 1_024;
  const own = readFileSync(process.execPath).subarray(0, largest);
  expect(await contentFaults([{ name: 'a.p7m', content: Buffer.alloc(largest) }])).toEqual([]);
  expect(await contentFaults([{ name: 'a.p7m', content: Buffer.alloc(largest, 0xff) }])).toEqual([]);
  expect(await contentFaults([{ name: 'a.p7m', content: own }])).toMatchObject([{ code: 'refused-type' }]);
  const faults = await contentFaults([undefined, { name: 'secret-name.pdf', content: EXE }]);
  const message = 'must not be a program, a script or other active content';
  expect(faults).toEqual([{ path: 'attachmentList[1].content', code: 'refused-type', message }]);
});
