/** Copies a text to the clipboard. False: the browser did not allow it. */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have no clipboard for scripts on pages without TLS, except on loopback.
  if (!isSecureContext) return copySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

/** Copies as the user would: selects the text in a field that is not seen. */
function copySelection(text: string): boolean {
  const former = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // What is outside of an open dialog cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (former instanceof HTMLElement) former.focus();
  return isCopied;
}

/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
