import { readFileSync, statSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { ConfigError, errorText } from '../../shared/platform/errors.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import type { Lender } from '../../shared/offer/offer-facts.ts';

/** The logo is part of each document: this keeps the reply small. */
const MAX_LOGO_BYTES = 65_536;
const SIGNATURES = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
] as const;

const WRONG_LOGO = `LENDER_LOGO_FILE: must be a PNG or JPEG of at most ${MAX_LOGO_BYTES} bytes`;

/** The lender of the settings (T3). Rejects with ConfigError if the logo cannot be read or printed, or is too large. */
export async function readLender({ logoFile, ...texts }: Config['lender']): Promise<Lender> {
  return { ...texts, logo: logoFile === undefined ? undefined : await readLogo(logoFile) };
}

async function readLogo(file: string): Promise<string> {
  const bytes = readBounded(file);
  const type = SIGNATURES.find(([, signature]) => bytes.toString('hex').startsWith(signature));
  if (type === undefined) throw new ConfigError(WRONG_LOGO);
  try {
    await openImage(bytes);
  } catch (error) {
    throw new ConfigError(`LENDER_LOGO_FILE: ${file} is broken (${errorText(error)})`);
  }
  return `data:${type[0]};base64,${bytes.toString('base64')}`;
}

function readBounded(file: string): Buffer {
  try {
    if (statSync(file).size <= MAX_LOGO_BYTES) return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`LENDER_LOGO_FILE: ${file} cannot be read (${errorText(error)})`);
  }
  throw new ConfigError(WRONG_LOGO);
}

interface ImageOpener {
  openImage(bytes: Uint8Array): {
    readonly width: number;
    readonly height: number;
    /** Only of a PNG. */
    readonly imgData?: Uint8Array;
  };
}

/** Opens the image as the printer does, which inflates a PNG later, where an error would end its thread. */
async function openImage(bytes: Buffer): Promise<void> {
  const { default: PdfWriter } = await import('pdfkit');
  const writer = new PdfWriter({ font: '', autoFirstPage: false }) as unknown as ImageOpener;
  const { width, height, imgData } = writer.openImage(bytes);
  if (!(width > 0 && height > 0)) throw new Error('it has no pixels');
  if (imgData !== undefined) inflateSync(imgData);
}
