/** Renders the document of an offer as a tagged PDF (PDF/UA-1) with the fonts it needs (T1, T3). Takes about 0.1 s. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import PdfWriter from 'pdfkit';
import type {
  DocumentLanguage,
  DocumentSection,
  DocumentTable,
  OfferDocument,
} from '../api/actions/offer-document-fields.ts';
import { lazy } from '../platform/lazy.ts';
import { logoText, say, startsPage } from './wording.ts';

/** DejaVu Sans has the letters of all European languages, among them ș and ț with a comma. */
const fonts = lazy(() => {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
  return { regular: read('DejaVuSansCondensed'), bold: read('DejaVuSansCondensed-Bold') };
});

type Pdf = InstanceType<typeof PdfWriter>;
type Structure = ReturnType<Pdf['struct']>;

const MARGIN = 50;
const SIZES = { title: 16, heading: 12, warning: 11, text: 9, cell: 7.5, footer: 7.5 };
const SPACE = { section: 12, point: 5 };
const LOGO = { width: 140, height: 45 };
const COLOURS = { missing: '#8a4b00', shade: '#eeeeee', line: '#767676' };

/** The bytes of the PDF: the same for the same document. Rejects with the error of a logo that cannot be read. */
export async function renderPdf(document: OfferDocument): Promise<Buffer> {
  const pdf = new PdfWriter({
    size: 'A4',
    margins: { top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN },
    bufferPages: true,
    pdfVersion: '1.7',
    subset: 'PDF/UA',
    tagged: true,
    displayTitle: true,
    lang: document.Language,
    font: '',
    info: { Title: document.Title, Author: document.LenderName ?? '', CreationDate: new Date(document.Date) },
  } as object);
  pdf.registerFont('regular', fonts().regular);
  pdf.registerFont('bold', fonts().bold);
  const bytes = buffer(pdf);
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  writeHead(pdf, root, document);
  for (const section of document.Sections) {
    if (startsPage(document, section.Id)) pdf.addPage();
    else pdf.y += SPACE.section;
    writeSection(pdf, root, section);
  }
  root.end();
  numberPages(pdf, document.Language);
  pdf.end();
  return bytes;
}

function writeHead(pdf: Pdf, root: Structure, document: OfferDocument): void {
  const { Title, Logo, Source } = document;
  if (Logo !== null) {
    const { y } = pdf;
    const draw = () => pdf.image(Logo, MARGIN, y, { fit: [LOGO.width, LOGO.height] });
    const bbox = [MARGIN, y, MARGIN + LOGO.width, y + LOGO.height];
    root.add(pdf.struct('Figure', { alt: logoText(document), bbox } as object, [draw]));
    pdf.x = MARGIN;
    pdf.y = y + LOGO.height + SPACE.section;
  }
  writeText(pdf, root, { type: 'H1', text: Title, font: 'bold', size: SIZES.title });
  writeText(pdf, root, { type: 'P', text: Source, font: 'regular', size: SIZES.footer });
}

function writeSection(pdf: Pdf, root: Structure, section: DocumentSection): void {
  const { Heading, Points, Table } = section;
  const part = pdf.struct('Sect');
  root.add(part);
  keepTogether(pdf, SIZES.heading * 4);
  writeText(pdf, part, { type: 'H2', text: Heading, font: 'bold', size: SIZES.heading });
  for (const { Label, Note, Text, IsMissing, IsWarning } of Points) {
    pdf.y += SPACE.point;
    const [font, size] = IsWarning ? (['bold', SIZES.warning] as const) : (['regular', SIZES.text] as const);
    keepTogether(pdf, size * 3);
    writeText(pdf, part, { type: 'P', text: Label, font: 'bold', size });
    if (Note !== null) writeText(pdf, part, { type: 'P', text: Note, font, size });
    if (Text === null) continue;
    const colour = IsMissing ? { colour: COLOURS.missing } : {};
    writeText(pdf, part, { type: 'P', text: Text, font, size, indent: 12, ...colour });
  }
  if (Table !== null) writeTable(pdf, part, Table);
  part.end();
}

/** Begins a page unless the height is left on this one, so that a heading is not alone at its end. */
function keepTogether(pdf: Pdf, height: number): void {
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
}

interface Written {
  readonly type: 'H1' | 'H2' | 'P';
  readonly text: string;
  readonly font: 'regular' | 'bold';
  readonly size: number;
  readonly indent?: number;
  readonly colour?: string;
}

function writeText(
  pdf: Pdf,
  parent: Structure,
  { type, text, font, size, indent = 0, colour = '#000000' }: Written,
) {
  const width = pdf.page.width - 2 * MARGIN - indent;
  const write = () => {
    pdf
      .font(font)
      .fontSize(size)
      .fillColor(colour)
      .text(text, MARGIN + indent, pdf.y, { width });
  };
  parent.add(pdf.struct(type, {}, [write]));
  pdf.x = MARGIN;
}

const FIRST_COLUMN = 90;
const PADDING = 2;

/** Draws each line itself, and the head again on each page: the tables of the library take more than ten times as long. */
function writeTable(pdf: Pdf, parent: Structure, { Caption, Columns, Lines }: DocumentTable): void {
  const table = pdf.struct('Table');
  const caption = pdf.struct('Caption');
  parent.add(table);
  table.add(caption);
  writeText(pdf, caption, { type: 'P', text: Caption, font: 'regular', size: SIZES.cell });
  caption.end();
  const width = (pdf.page.width - 2 * MARGIN - FIRST_COLUMN) / (Columns.length - 1);
  const widths = Columns.map((_, column) => (column === 0 ? FIRST_COLUMN : width));
  const head = { cells: Columns, font: 'bold', widths } as const;
  writeLine(pdf, table, head);
  for (const { Kind, IsHypothetical, Cells } of Lines) {
    const isSum = Kind === 'subtotal' || Kind === 'total';
    const font = isSum ? 'bold' : 'regular';
    writeLine(pdf, table, { cells: Cells, font, isSlanted: IsHypothetical, widths, head });
  }
  table.end();
}

interface DrawnLine {
  readonly cells: readonly string[];
  readonly font: 'regular' | 'bold';
  readonly isSlanted?: boolean;
  readonly widths: readonly number[];
  /** Repeated, as an artifact, where a page begins; undefined in the head itself. */
  readonly head?: DrawnLine;
}

function writeLine(pdf: Pdf, table: Structure, line: DrawnLine): void {
  const height = measureLine(pdf, line);
  if (pdf.y + height > pdf.page.height - MARGIN) {
    pdf.addPage();
    if (line.head !== undefined) repeatHead(pdf, line.head);
  }
  const row = pdf.struct('TR');
  table.add(row);
  drawLine(pdf, line, height, (draw, column) => {
    const isTitle = line.head === undefined || column === 0;
    const scope = line.head === undefined ? 'Column' : 'Row';
    row.add(isTitle ? pdf.struct('TH', { scope } as object, [draw]) : pdf.struct('TD', {}, [draw]));
  });
  row.end();
}

function repeatHead(pdf: Pdf, head: DrawnLine): void {
  drawLine(pdf, head, measureLine(pdf, head), (draw) => {
    pdf.markContent('Artifact', { type: 'Pagination' } as object);
    draw();
    pdf.endMarkedContent();
  });
}

function drawLine(
  pdf: Pdf,
  line: DrawnLine,
  height: number,
  place: (draw: () => void, column: number) => void,
): void {
  const top = pdf.y;
  pdf.font(line.font);
  shadeLine(pdf, top, height, line.font === 'bold');
  let left = MARGIN;
  for (const [column, text] of line.cells.entries()) {
    const width = line.widths[column] ?? 0;
    const at = left;
    const options = {
      width: width - 2 * PADDING,
      align: column === 0 ? 'left' : 'right',
      oblique: line.isSlanted ?? false,
    } as const;
    place(() => pdf.text(text, at + PADDING, top + PADDING, options), column);
    left += width;
  }
  pdf.x = MARGIN;
  pdf.y = top + height;
}

/** Most cells are one line high, so that only those wider than their column are measured. */
function measureLine(pdf: Pdf, { cells, font, widths }: DrawnLine): number {
  pdf.font(font).fontSize(SIZES.cell).fillColor('#000000');
  const one = pdf.currentLineHeight(true);
  const heights = cells.map((text, column) => {
    const width = (widths[column] ?? 0) - 2 * PADDING;
    return pdf.widthOfString(text) > width ? pdf.heightOfString(text, { width }) : one;
  });
  return Math.max(...heights) + 2 * PADDING;
}

function shadeLine(pdf: Pdf, top: number, height: number, isShaded: boolean): void {
  const width = pdf.page.width - 2 * MARGIN;
  pdf.markContent('Artifact', { type: 'Layout' } as object);
  if (isShaded) pdf.rect(MARGIN, top, width, height).fill(COLOURS.shade).fillColor('#000000');
  const bottom = top + height;
  pdf
    .moveTo(MARGIN, bottom)
    .lineTo(MARGIN + width, bottom)
    .lineWidth(0.5)
    .stroke(COLOURS.line);
  pdf.endMarkedContent();
}

function numberPages(pdf: Pdf, language: DocumentLanguage): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    pdf.page.margins.bottom = 0;
    pdf.markContent('Artifact', { type: 'Pagination' } as object);
    const shown = say(language, 'page', { page: String(page + 1), pages: String(count) });
    pdf
      .font('regular')
      .fontSize(SIZES.footer)
      .fillColor('#000000')
      .text(shown, MARGIN, pdf.page.height - MARGIN / 2 - SIZES.footer, {
        align: 'right',
        lineBreak: false,
        width: pdf.page.width - 2 * MARGIN,
      });
    pdf.endMarkedContent();
  }
}
