/** The default alphabet of SMS (3GPP TS 23.038, 6.2.1). */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Its extension table. */
const EXTENDED = '\f^{}\\[~]|€';
const ALPHABET: ReadonlySet<string> = new Set(BASIC + EXTENDED);

/** Whether the default alphabet has all characters; otherwise an SMS has room for less than half as many. */
export function isGsmText(text: string): boolean {
  for (const character of text) if (!ALPHABET.has(character)) return false;
  return true;
}
