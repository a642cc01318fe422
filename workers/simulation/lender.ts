import { readFileSync } from 'node:fs';
import { ConfigError, errorText } from '../../shared/platform/errors.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import type { Lender } from '../../shared/offer/offer-facts.ts';

/** The logo is part of each document: this keeps the reply small. */
const MAX_LOGO_BYTES = 65_536;
const SIGNATURES = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
] as const;

/** The lender of the settings (T3). Throws ConfigError if the logo cannot be read, is too large, or no PNG or JPEG. */
export function readLender({ logoFile, ...texts }: Config['lender']): Lender {
  return { ...texts, logo: logoFile === undefined ? undefined : readLogo(logoFile) };
}

function readLogo(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ConfigError(`LENDER_LOGO_FILE: ${file} cannot be read (${errorText(error)})`);
  }
  const type = SIGNATURES.find(([, signature]) => bytes.toString('hex').startsWith(signature));
  if (type === undefined || bytes.length > MAX_LOGO_BYTES)
    throw new ConfigError(`LENDER_LOGO_FILE: must be a PNG or JPEG of at most ${MAX_LOGO_BYTES} bytes`);
  return `data:${type[0]};base64,${bytes.toString('base64')}`;
}
