import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A self-signed certificate for localhost and 127.0.0.1, in PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const OID_COMMON_NAME = '0603550403';
const OID_SUBJECT_ALTERNATIVE_NAME = '0603551d11';
const OID_BASIC_CONSTRAINTS = '0603551d13';
const OID_ECDSA_WITH_SHA256 = '06082a8648ce3d040302';

/** Creates a certificate (X.509 v3, RFC 5280) with node:crypto, so that tests need no openssl command. */
export function selfSigned(
  validity: { readonly fromMs?: number; readonly untilMs?: number } = {},
): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const name = sequence(set(sequence(hex(OID_COMMON_NAME), tlv(0x0c, Buffer.from('localhost')))));
  const algorithm = sequence(hex(OID_ECDSA_WITH_SHA256));
  const alternativeNames = sequence(
    tlv(0x82, Buffer.from('localhost')),
    tlv(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = sequence(
    sequence(hex(OID_BASIC_CONSTRAINTS), tlv(0x01, hex('ff')), tlv(0x04, sequence(tlv(0x01, hex('ff'))))),
    sequence(hex(OID_SUBJECT_ALTERNATIVE_NAME), tlv(0x04, alternativeNames)),
  );
  const body = sequence(
    tlv(0xa0, tlv(0x02, hex('02'))),
    tlv(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(validity.fromMs ?? now - DAY_MS), utcTime(validity.untilMs ?? now + DAY_MS)),
    name,
    derOf(publicKey),
    tlv(0xa3, extensions),
  );
  const signature = tlv(0x03, Buffer.concat([hex('00'), sign('sha256', body, privateKey)]));
  const der = sequence(body, algorithm, signature);
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function derOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return tlv(0x31, part);
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

/** Encodes tag, length and value, up to 65,535 bytes. */
function tlv(tag: number, value: Buffer): Buffer {
  const size = value.length;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), value]);
  if (size < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, size]), value]);
  return Buffer.concat([Buffer.from([tag, 0x82, size >> 8, size & 0xff]), value]);
}
