import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

interface Structure {
  readonly role?: string;
  readonly children?: readonly Structure[];
}

/** The text of each page with single blanks, the roles of its tags in order, and what the document says of itself. */
export async function readPdf(bytes: Uint8Array) {
  const loading = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 });
  const pdf = await loading.promise;
  const pages: string[] = [];
  const roles: string[] = [];
  const places: number[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    for (const item of items)
      if ('str' in item && item.str.trim() !== '')
        places.push([number, ...(item.transform as number[]).slice(4), item.width]);
    const texts = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : ''));
    pages.push(plain(texts.join('')));
    collectRoles((await page.getStructTree()) as Structure | null, roles);
  }
  const { info } = (await pdf.getMetadata()) as { info: Readonly<Record<string, unknown>> };
  const marks = (await pdf.getMarkInfo()) as unknown as ReadonlyMap<string, boolean>;
  await loading.destroy();
  return { pages, text: pages.join(' '), roles, places, info, isMarked: marks.get('Marked') === true };
}

export function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function collectRoles(node: Structure | null, roles: string[]): void {
  if (node?.role !== undefined) roles.push(node.role);
  for (const child of node?.children ?? []) collectRoles(child, roles);
}
