/** The default alphabet of SMS with its extension table (3GPP TS 23.038, 6.2.1). */
const ALPHABET: ReadonlySet<string> = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§' +
    '¿abcdefghijklmnopqrstuvwxyzäöñüà\f^{}\\[~]|€',
);

/** Whether the default alphabet has every character; others cost the text more than half of a message's room. */
export function isGsmText(text: string): boolean {
  for (const character of text) if (!ALPHABET.has(character)) return false;
  return true;
}
