import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  contentFaults,
  isPlainFileName,
  isRunnableName,
} from '../../../../shared/contract/notification/attachments.ts';

describe('the name of an attachment', () => {
  it.each(['offer.pdf', 'Ofertă 2026.pdf', 'a', 'no ending', 'x.tar.gz', 'a'.repeat(255), '報告.txt'])(
    'may be %j',
    (name) => {
      expect(isPlainFileName(name)).toBe(true);
    },
  );

  it.each([
    '../offer.pdf',
    'a/b.pdf',
    'a\\b.pdf',
    'C:offer.pdf',
    'offer.pdf:evil',
    '.htaccess',
    ' .hidden',
    '..',
    '   ',
    'a\r\nContent-Type: text/html',
    'a\u0000.pdf',
    'a\u009f.pdf',
    'invoice\u202efdp.exe',
    'a\ud800.pdf',
    'a'.repeat(256),
  ])('must not be %j', (name) => {
    expect(isPlainFileName(name)).toBe(false);
  });

  it.each([
    'a.exe',
    'a.EXE',
    'a.pdf.exe',
    'a.exe.',
    'a.exe .',
    'a.js',
    'a.vbs',
    'a.ps1',
    'a.lnk',
    'a.jar',
    'a.hta',
  ])('%j belongs to a program or a script', (name) => {
    expect(isRunnableName(name)).toBe(true);
  });

  it.each(['a.pdf', 'exe', 'a.exe.pdf', 'a.docx', 'a.html', 'a.json'])(
    '%j does not belong to a program',
    (name) => {
      expect(isRunnableName(name)).toBe(false);
    },
  );
});

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const PNG = hex('89504e47 0d0a1a0a 0000000d 49484452 00000001 00000001 08060000 001f15c4 89');
const EXE = Buffer.concat([Buffer.from('MZ'), hex('900003000000')]);
const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n');

/** A ZIP archive with one file. */
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

const codeOf = async (name: string, content: Buffer | string) =>
  (await contentFaults([{ name, content: Buffer.from(content) }]))[0]?.code;

describe('the content of an attachment', () => {
  it.each([
    ['offer.pdf', PDF],
    ['offer.pdf', Buffer.concat([Buffer.from('\n \n'), PDF])],
    ['photo.png', PNG],
    ['notes.txt', 'Some notes'],
    ['notes.txt', 'MZ are the first letters of a program, but this is a text'],
    ['notes.csv', 'BMW;1200\n'],
    ['page.html', '<!doctype html><p>Hello'],
    ['data.xml', '<?xml version="1.0"?><a/>'],
    ['day.ics', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n'],
    ['old.doc', hex('d0cf11e0a1b11ae1 0000000000000000')],
    ['protected.docx', hex('d0cf11e0a1b11ae1 0000000000000000')],
    ['files.zip', zip('a.txt', 'a')],
    ['letter.docx', zip('[Content_Types].xml', '<Types/>')],
    ['own.format', hex('0001020304')],
    ['nothing', PNG],
  ])('is accepted in %s: case %#', async (name, content) => {
    expect(await codeOf(name, content)).toBeUndefined();
  });

  it.each([
    ['offer.pdf', EXE],
    ['own.format', EXE],
    ['nothing', EXE],
    ['tool.dat', Buffer.from('\u007fELF\u0002\u0001\u0001')],
    ['run.txt', '#!/bin/sh\nrm -rf /\n'],
    ['run.txt', '\ufeff#!/bin/sh\n'],
    ['link.dat', hex('4c000000 01140200 00000000 c0000000 00000046')],
    ['code.dat', hex('cafebabe 00000034')],
    ['app.zip', zip('META-INF/MANIFEST.MF', 'Main-Class: A')],
    ['both.pdf', Buffer.concat([EXE, PDF])],
  ])('is refused as executable in %s: case %#', async (name, content) => {
    expect(await codeOf(name, content)).toBe('refused-type');
  });

  it.each([
    ['offer.pdf', 'not one'],
    ['offer.pdf', PNG],
    ['photo.png', PDF],
    ['photo.jpg', PNG],
    ['notes.txt', PDF],
    ['notes.txt', hex('424d f6000000 00000000')],
    ['page.html', zip('a.txt', 'a')],
    ['letter.docx', 'not packed'],
  ])('is refused in %s if it contradicts the extension: case %#', async (name, content) => {
    expect(await codeOf(name, content)).toBe('contradicting-type');
  });

  it('is reported with the position of the file, not with its name', async () => {
    const faults = await contentFaults([undefined, { name: 'secret-name.pdf', content: EXE }]);
    expect(faults).toEqual([
      {
        path: 'attachmentList[1].content',
        code: 'refused-type',
        message: 'must not be a program or a script',
      },
    ]);
  });

  it('is checked in files of the maximum size', async () => {
    const largest = 7 * 1_024 * 1_024;
    const own = readFileSync(process.execPath).subarray(0, largest);
    expect(await contentFaults([{ name: 'a.bin', content: Buffer.alloc(largest) }])).toEqual([]);
    expect(await contentFaults([{ name: 'a.bin', content: Buffer.alloc(largest, 0xff) }])).toEqual([]);
    expect(await contentFaults([{ name: 'a.bin', content: own }])).toMatchObject([{ code: 'refused-type' }]);
  });
});
