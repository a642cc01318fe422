/** Checks the names and the content of attached files. Only listed kinds of files without active content pass. */

import type { Attachment } from '../../notification/notification-command.ts';
import type { Fault } from '../../platform/problem.ts';
import { shapeFault } from '../json/faults.ts';
import ATTACHMENT_KINDS from './attachment-kinds.json' with { type: 'json' };
import { cleanText } from './clean-text.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';

/** Separators of paths (`:` on Windows) or lines, control characters, and `=?`, which mailers decode (RFC 2047). */
// eslint-disable-next-line no-control-regex
const NEVER_IN_NAME = /=\?|[/\\:\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Windows ignores dots and blanks at the end of a name when it opens a file. */
const LAST_DOTS_AND_BLANKS = /(?<![\s.])[\s.]+$/u;

/** The name without invisible characters, outer blanks and trailing dots (N4). */
export function cleanFileName(name: string): string {
  return cleanText(name).replace(LAST_DOTS_AND_BLANKS, '');
}

/** Whether a cleaned name is well-formed, not blank, at most 255 characters, without NEVER_IN_NAME or a leading dot. */
export function isPlainFileName(name: string): boolean {
  return (
    name.length <= NOTIFICATION_LIMITS.attachmentNameCharacters &&
    !NEVER_IN_NAME.test(name) &&
    name.isWellFormed() &&
    !name.trimStart().startsWith('.') &&
    name.trim() !== ''
  );
}

/** Kinds of content by allowed extension. `text`: content of no known kind. `cfb`: old or encrypted Office files. */
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

export function isAllowedName(name: string): boolean {
  return ALLOWED_CONTENT.has(fileExtension(name));
}

/** Refused kinds of content, as the library file-type names them; detectKind adds `script` and `active`. */
const REFUSED_CONTENT: ReadonlySet<string> = new Set(
  `script active exe elf macho class dex jar apk xpi crx msi deb rpm lnk alias chm reg swf wasm dmg iso cab nes pyc
  docm dotm xlsm xltm pptm potm ppsm`.split(/\s+/),
);

const SCRIPT = Buffer.from('#!');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The start of a text that a browser may show as a page, whatever the extension of the file. */
const PAGE = /^<(?:!doctype\s+(?:html|svg)|html|svg|script|body|iframe)\b/i;
/** Marks of active XML: namespaces of pages, style sheets (may run code), and entities (may hide the other marks). */
const ACTIVE_XML = [
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/2000/svg',
  '<?xml-stylesheet',
  '<!DOCTYPE',
  '<!ENTITY',
];
/** A namespace with an entity or a character reference, which may hide one of the namespaces above. */
const HIDDEN_NAMESPACE = /xmlns(?::[^\s=:]*)?\s*=\s*(?:"[^"]*&|'[^']*&)/;
/** The name of the stream that holds the macros of an Office file in the old format. */
const MACROS = Buffer.from('_VBA_PROJECT', 'utf16le');
/** Bytes at the start of a text that are searched for marks: PDF readers accept `%PDF-` anywhere in them. */
const SAMPLE_BYTES = 1_024;
/** Formats known by their first two letters only. A text may begin with these ("BMW") but has no control characters. */
const SHORT_MARKS: ReadonlySet<string> = new Set(['exe', 'bmp']);
const BLANK = 0x20;
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);

/** Finds active content, and content that the extension does not allow. Archives are not unpacked. Never rejects. */
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

/** Whether a browser would show a text as a page. The text may be in UTF-16. */
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
    // Loaded with the first file, since most processes never receive one.
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(content))?.ext ?? 'text';
  } catch {
    // A file that file-type cannot read, such as a truncated one, is of no known kind.
    return 'text';
  }
}
