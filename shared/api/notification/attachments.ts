/** Checks the names and the content of attached files: only listed kinds of files pass, and no active content. */

import type { Attachment } from '../../notification/notification-command.ts';
import type { Fault } from '../../platform/problem.ts';
import { shapeFault } from '../json/faults.ts';
import ATTACHMENT_KINDS from './attachment-kinds.json' with { type: 'json' };
import { cleanText } from './clean-text.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';

/** Path separators (`:` on Windows), control characters, and the start of an encoded word (RFC 2047), which many readers decode. */
// eslint-disable-next-line no-control-regex
const NEVER_IN_NAME = /=\?|[/\\:\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Windows ignores dots and blanks at the end of a name when it opens a file. */
const LAST_DOTS_AND_BLANKS = /(?<![\s.])[\s.]+$/u;

/** The name without invisible characters, outer blanks and trailing dots (N4). */
export function cleanFileName(name: string): string {
  return cleanText(name).replace(LAST_DOTS_AND_BLANKS, '');
}

/** Whether a cleaned name is safe: at most 255 characters, without path, control characters and leading dot. */
export function isPlainFileName(name: string): boolean {
  return (
    name.length <= NOTIFICATION_LIMITS.attachmentNameCharacters &&
    !NEVER_IN_NAME.test(name) &&
    name.isWellFormed() &&
    !name.trimStart().startsWith('.') &&
    name.trim() !== ''
  );
}

/** The allowed extensions with their kinds of content. `text`: no known kind. `cfb`: an old Office file, or a new one with a password. */
const ALLOWED_CONTENT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ATTACHMENT_KINDS).flatMap(([extensions, content]) =>
    extensions.split(' ').map((extension) => [extension, content.split(' ')] as const),
  ),
);

export const FILE_EXTENSIONS: readonly string[] = [...ALLOWED_CONTENT.keys()];

function fileExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Whether the extension is one of {@link FILE_EXTENSIONS}. */
export function isAllowedName(name: string): boolean {
  return ALLOWED_CONTENT.has(fileExtension(name));
}

/** Programs and files with macros, as the library file-type calls them. Only detectKind finds `script` and `active`, a page or a macro. */
const REFUSED_CONTENT: ReadonlySet<string> = new Set(
  `script active exe elf macho class dex jar apk xpi crx msi deb rpm lnk alias chm reg swf wasm dmg iso cab nes pyc
  docm dotm xlsm xltm pptm potm ppsm`.split(/\s+/),
);

const SCRIPT = Buffer.from('#!');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The start of a page that a browser runs, whatever its extension. */
const PAGE = /^<(?:!doctype\s+(?:html|svg)|html|svg|script|body|iframe)\b/i;
/** XML that a browser shows as a page, or that loads a style sheet with code. Entities may hide both. */
const ACTIVE_XML = [
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/2000/svg',
  '<?xml-stylesheet',
  '<!DOCTYPE',
  '<!ENTITY',
];
/** An entity or a character reference in the name of a namespace may hide one of these. */
const HIDDEN_NAMESPACE = /xmlns(?::[^\s=:]*)?\s*=\s*(?:"[^"]*&|'[^']*&)/;
/** The stream with the macros of an Office file in the old format. */
const MACROS = Buffer.from('_VBA_PROJECT', 'utf16le');
/** PDF readers search for the mark of a PDF in these first bytes, because some generators write other bytes before it. */
const SAMPLE_BYTES = 1_024;
/** Formats that are detected by two letters only: a text such as "BMW" may begin with them, but has no control characters. */
const SHORT_MARKS: ReadonlySet<string> = new Set(['exe', 'bmp']);
const BLANK = 0x20;
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);

/** Finds active content, and content that contradicts the extension. Archives are not unpacked. Never rejects. */
export async function contentFaults(files: readonly (Attachment | undefined)[]): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [index, file] of files.entries()) {
    if (file === undefined) continue;
    const path = `attachmentList[${index}].content`;
    const kind = await detectKind(file.content);
    const allowed = ALLOWED_CONTENT.get(fileExtension(file.name));
    if (REFUSED_CONTENT.has(kind)) {
      faults.push(
        shapeFault(path, 'refused-type', 'must not be a program, a script or other active content'),
      );
    } else if (allowed?.includes(kind) === false) {
      faults.push(shapeFault(path, 'contradicting-type', 'must match the extension of its name'));
    }
  }
  return faults;
}

async function detectKind(content: Buffer): Promise<string> {
  const start = content.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  if (content.subarray(start, start + SCRIPT.length).equals(SCRIPT)) return 'script';
  const kind = await detectContent(content);
  const sample = content.subarray(0, SAMPLE_BYTES);
  const isReadable = sample.every((byte) => byte >= BLANK || LINE_CONTROLS.has(byte));
  if (SHORT_MARKS.has(kind)) return isReadable ? 'text' : kind;
  if (kind === 'cfb') return content.includes(MACROS) ? 'active' : kind;
  if (kind !== 'text' && kind !== 'xml') return kind;
  if (isPage(content.subarray(start), kind)) return 'active';
  return sample.includes('%PDF-') ? 'pdf' : kind;
}

/** Whether a text is a page that a browser would run. Its letters are found in UTF-16 too. */
function isPage(text: Buffer, kind: 'text' | 'xml'): boolean {
  const start = lettersOf(text.subarray(0, SAMPLE_BYTES)).trimStart();
  if (PAGE.test(start)) return true;
  const isXml = kind === 'xml' || start.startsWith('<');
  if (!isXml) return false;
  const isActive = ACTIVE_XML.some((mark) => text.includes(mark) || text.includes(mark, 0, 'utf16le'));
  return isActive || HIDDEN_NAMESPACE.test(lettersOf(text));
}

function lettersOf(text: Buffer): string {
  return text.toString('latin1').replaceAll(/[\0\u00fe\u00ff]/g, '');
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
