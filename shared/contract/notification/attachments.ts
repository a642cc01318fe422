/** Attached files: their names, and what they really are by their bytes. Programs are refused, and so are misleading names. */

import type { Attachment } from '../../notification/command.ts';
import type { Fault } from '../../platform/problem.ts';
import { shapeFault } from '../json/faults.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/**
 * Path separators (a colon separates streams and drives on Windows), control characters, line separators, and the
 * characters that turn the direction of writing, by which `exe.fdp` is shown as `pdf.exe`.
 */
// eslint-disable-next-line no-control-regex
const NEVER_IN_NAME = /[/\\:\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Endings that some system runs when the file is opened. */
const RUNNABLE_ENDINGS: ReadonlySet<string> = new Set(
  `ade adp app apk application appref-ms appx appxbundle bash bat cab chm cmd com command cpl csh diagcab dll dmg
  ear exe fish gadget hta htc inf ins iso img isp jar jnlp js jse jsx ksh lib lnk mde mjs cjs msc msh msi
  msix msixbundle msp mst msu nsh ocx osx out paf php pif pl pm ps1 ps1xml ps2 psc1 psm1 psd1 py pyc pyw pyz rb reg
  run scf scr sct service sh shb shs so sys tcsh ts url vb vbe vbs vhd vhdx vxd war website workflow ws wsc wsf wsh
  xbap xll zsh`.split(/\s+/),
);

/** True for a plain file name: no path, nothing hidden, nothing that shows otherwise than it is. */
export function isPlainFileName(name: string): boolean {
  return (
    name.length <= NOTIFICATION_LIMITS.attachmentNameCharacters &&
    !NEVER_IN_NAME.test(name) &&
    name.isWellFormed() &&
    !name.trimStart().startsWith('.') &&
    name.trim() !== ''
  );
}

/** The ending of a name in lower case, without its dot; '' for none. Windows passes over blanks and dots at the end. */
export function fileEnding(name: string): string {
  const shown = name.replace(/[\s.]+$/u, '');
  const dot = shown.lastIndexOf('.');
  return dot === -1
    ? ''
    : shown
        .slice(dot + 1)
        .trim()
        .toLowerCase();
}

/** True for a name by which a system would run the file. */
export function isRunnableName(name: string): boolean {
  return RUNNABLE_ENDINGS.has(fileEnding(name));
}

/** Kinds of content that some system runs, as the library names them. */
const RUNNABLE: ReadonlySet<string> = new Set(
  'script exe elf macho class dex jar apk xpi crx msi deb rpm lnk alias chm reg swf wasm dmg iso cab nes pyc'.split(
    ' ',
  ),
);

/** Content of text files, where the library recognises it. */
const TEXT = ['text', 'xml', 'vcf', 'ics', 'vtt', 'srt'];
const COMPOUND = ['cfb'];
/** A password turns these into compound files. */
const PACKED_OFFICE = [
  'zip',
  'cfb',
  'docx',
  'docm',
  'dotx',
  'dotm',
  'xlsx',
  'xlsm',
  'xltx',
  'xltm',
  'pptx',
  'pptm',
];
const OPEN_OFFICE = ['zip', 'odt', 'ods', 'odp', 'odg', 'ott', 'ots', 'otp', 'otg'];

/** What the content of a file may be, by the ending of its name; `text` is content of no known kind. Others are free. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  pdf: ['pdf'],
  png: ['png', 'apng'],
  jpg: ['jpg', 'mpo'],
  jpeg: ['jpg', 'mpo'],
  gif: ['gif'],
  webp: ['webp'],
  bmp: ['bmp'],
  tif: ['tif', 'dng', 'nef', 'cr2'],
  tiff: ['tif', 'dng', 'nef', 'cr2'],
  heic: ['heic'],
  zip: [...PACKED_OFFICE, ...OPEN_OFFICE, 'epub'],
  gz: ['gz', 'tar.gz'],
  tgz: ['gz', 'tar.gz'],
  '7z': ['7z'],
  rar: ['rar'],
  docx: PACKED_OFFICE,
  dotx: PACKED_OFFICE,
  docm: PACKED_OFFICE,
  xlsx: PACKED_OFFICE,
  xlsm: PACKED_OFFICE,
  xltx: PACKED_OFFICE,
  pptx: PACKED_OFFICE,
  odt: OPEN_OFFICE,
  ods: OPEN_OFFICE,
  odp: OPEN_OFFICE,
  doc: [...COMPOUND, 'rtf', ...TEXT],
  xls: [...COMPOUND, ...TEXT],
  ppt: COMPOUND,
  msg: COMPOUND,
  rtf: ['rtf'],
  txt: TEXT,
  csv: TEXT,
  tsv: TEXT,
  json: TEXT,
  xml: TEXT,
  xsd: TEXT,
  html: TEXT,
  htm: TEXT,
  svg: TEXT,
  md: TEXT,
  eml: TEXT,
  ics: TEXT,
  vcf: TEXT,
  mp3: ['mp3', 'mp2', 'mp1'],
  mp4: ['mp4', 'm4v', 'mov', 'f4v'],
  wav: ['wav'],
};

const SCRIPT = Buffer.from('#!');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** How scripts are called here; the library knows none. */
const SCRIPT_KIND = 'script';
/** Readers of PDF look for its mark within so many bytes, since some generators write something before it. */
const SAMPLE_BYTES = 1_024;
/** Recognised by two letters, with which a text may begin as well ("BMW"): but a text has no control characters. */
const SHORT_MARKS: ReadonlySet<string> = new Set(['exe', 'bmp']);
const BLANK = 0x20;
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);

/**
 * Faults of files by their content, at `attachmentList[n].content`; those that could not be read are undefined. The
 * first bytes decide; archives are not unpacked.
 */
export async function contentFaults(files: readonly (Attachment | undefined)[]): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [index, file] of files.entries()) {
    if (file === undefined) continue;
    const fault = await contentFault(file, `attachmentList[${index}].content`);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

async function contentFault({ name, content }: Attachment, path: string): Promise<Fault | undefined> {
  const kind = await detectKind(content);
  if (RUNNABLE.has(kind)) return shapeFault(path, 'refused-type', 'must not be a program or a script');
  const allowed = KINDS[fileEnding(name)];
  if (allowed === undefined || allowed.includes(kind)) return undefined;
  return shapeFault(path, 'contradicting-type', 'must be of the kind that the ending of its name says');
}

async function detectKind(content: Buffer): Promise<string> {
  const start = content.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  if (content.subarray(start, start + SCRIPT.length).equals(SCRIPT)) return SCRIPT_KIND;
  const kind = await detectContent(content);
  const sample = content.subarray(0, SAMPLE_BYTES);
  if (SHORT_MARKS.has(kind)) return isReadable(sample) ? 'text' : kind;
  return kind === 'text' && sample.includes('%PDF-') ? 'pdf' : kind;
}

async function detectContent(content: Buffer): Promise<string> {
  try {
    // Loaded with the first file that comes: most processes never see one.
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(content))?.ext ?? 'text';
  } catch {
    // A file that ends within its own structure is of no known kind.
    return 'text';
  }
}

/** Without control characters other than those of lines. */
function isReadable(bytes: Buffer): boolean {
  return bytes.every((byte) => byte >= BLANK || LINE_CONTROLS.has(byte));
}
