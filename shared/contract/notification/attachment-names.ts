/** Names of attached files: what may stand in them, and which endings are never sent. */

import { NOTIFICATION_LIMITS } from './limits.ts';

/**
 * Path separators (a colon separates streams and drives on Windows), control characters, line separators, and the
 * characters that turn the direction of writing, by which `exe.fdp` is shown as `pdf.exe`.
 */
// eslint-disable-next-line no-control-regex
const NEVER_IN_NAME = /[/\\:\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Endings that some system runs when the file is opened. */
const RUNNABLE: ReadonlySet<string> = new Set(
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
  return RUNNABLE.has(fileEnding(name));
}
