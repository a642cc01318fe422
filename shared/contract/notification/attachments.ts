/** Checks the names and the content of attached files: programs and misleading names are refused. */

import type { Attachment } from '../../notification/command.ts';
import type { Fault } from '../../platform/problem.ts';
import { shapeFault } from '../json/faults.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/**
 * Path separators (on Windows a colon separates drives and streams), control characters, line separators, and characters
 * that reverse the direction of writing, so that `exe.fdp` is displayed as `pdf.exe`.
 */
// eslint-disable-next-line no-control-regex
const NEVER_IN_NAME = /[/\\:\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** File extensions that an operating system executes when the file is opened. */
const RUNNABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  `ade adp app apk application appref-ms appx appxbundle bash bat cab chm cmd com command cpl csh diagcab dll dmg
  ear exe fish gadget hta htc inf ins iso img isp jar jnlp js jse jsx ksh lib lnk mde mjs cjs msc msh msi
  msix msixbundle msp mst msu nsh ocx osx out paf php pif pl pm ps1 ps1xml ps2 psc1 psm1 psd1 py pyc pyw pyz rb reg
  run scf scr sct service sh shb shs so sys tcsh ts url vb vbe vbs vhd vhdx vxd war website workflow ws wsc wsf wsh
  xbap xll zsh`.split(/\s+/),
);

/** True for a plain file name: no path, not hidden, and displayed as it is. */
export function isPlainFileName(name: string): boolean {
  return (
    name.length <= NOTIFICATION_LIMITS.attachmentNameCharacters &&
    !NEVER_IN_NAME.test(name) &&
    name.isWellFormed() &&
    !name.trimStart().startsWith('.') &&
    name.trim() !== ''
  );
}

/** The extension of a name in lower case, without its dot; '' for none. Windows ignores trailing blanks and dots. */
function fileExtension(name: string): string {
  const shown = name.replace(/[\s.]+$/u, '');
  const dot = shown.lastIndexOf('.');
  return dot === -1
    ? ''
    : shown
        .slice(dot + 1)
        .trim()
        .toLowerCase();
}

/** True for the name of a file that an operating system would execute. */
export function isRunnableName(name: string): boolean {
  return RUNNABLE_EXTENSIONS.has(fileExtension(name));
}

/** Executable content, by its names in the library file-type. */
const RUNNABLE_CONTENT: ReadonlySet<string> = new Set(
  'script exe elf macho class dex jar apk xpi crx msi deb rpm lnk alias chm reg swf wasm dmg iso cab nes pyc'.split(
    ' ',
  ),
);

const kinds = (text: string): readonly string[] => text.split(' ');
const TEXT = kinds('text xml vcf ics vtt srt');
/** With a password, these are compound files (`cfb`). */
const PACKED_OFFICE = kinds('zip cfb docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm');
const OPEN_OFFICE = kinds('zip odt ods odp odg ott ots otp otg');

/**
 * The allowed content of files by the extensions of their names; `text` is content of no known kind. Files with other
 * extensions may have any content.
 */
const ALLOWED_CONTENT: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ['pdf', ['pdf']],
      ['png', ['png', 'apng']],
      ['jpg jpeg', ['jpg', 'mpo']],
      ['gif', ['gif']],
      ['webp', ['webp']],
      ['bmp', ['bmp']],
      ['tif tiff', ['tif', 'dng', 'nef', 'cr2']],
      ['heic', ['heic']],
      ['zip', [...PACKED_OFFICE, ...OPEN_OFFICE, 'epub']],
      ['gz tgz', ['gz', 'tar.gz']],
      ['7z', ['7z']],
      ['rar', ['rar']],
      ['docx dotx docm xlsx xlsm xltx pptx', PACKED_OFFICE],
      ['odt ods odp', OPEN_OFFICE],
      ['doc', ['cfb', 'rtf', ...TEXT]],
      ['xls', ['cfb', ...TEXT]],
      ['ppt msg', ['cfb']],
      ['rtf', ['rtf']],
      ['txt csv tsv json xml xsd html htm svg md eml ics vcf', TEXT],
      ['mp3', ['mp3', 'mp2', 'mp1']],
      ['mp4', ['mp4', 'm4v', 'mov', 'f4v']],
      ['wav', ['wav']],
    ] as const
  ).flatMap(([extensions, content]) =>
    extensions.split(' ').map((extension) => [extension, content] as const),
  ),
);

const SCRIPT = Buffer.from('#!');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Kind of scripts, which the library does not detect. */
const SCRIPT_KIND = 'script';
/** PDF readers search for the mark of a PDF in these first bytes, because some generators write other bytes before it. */
const SAMPLE_BYTES = 1_024;
/** Formats that are detected by two letters only: a text such as "BMW" may begin with them, but has no control characters. */
const SHORT_MARKS: ReadonlySet<string> = new Set(['exe', 'bmp']);
const BLANK = 0x20;
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);

/**
 * Finds files with executable content, or with other content than their extension, by their first bytes; archives are not
 * unpacked. Files that could not be decoded are undefined. Paths of faults are `attachmentList[n].content`.
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
  if (RUNNABLE_CONTENT.has(kind))
    return shapeFault(path, 'refused-type', 'must not be a program or a script');
  const allowed = ALLOWED_CONTENT.get(fileExtension(name));
  if (allowed === undefined || allowed.includes(kind)) return undefined;
  return shapeFault(path, 'contradicting-type', 'must match the extension of its name');
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
    // Loaded with the first file: most processes never receive one.
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(content))?.ext ?? 'text';
  } catch {
    // A truncated file is of no known kind.
    return 'text';
  }
}

/** True for bytes without control characters, except line breaks, tabs and form feeds. */
function isReadable(bytes: Buffer): boolean {
  return bytes.every((byte) => byte >= BLANK || LINE_CONTROLS.has(byte));
}
