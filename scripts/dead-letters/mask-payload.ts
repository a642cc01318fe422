/**
 * Members that hold personal data or what somebody is told, wherever in a payload they stand and however they are spelt.
 * Amounts, dates, codes and the like are shown.
 */
const MASKED: ReadonlySet<string> = new Set([
  'receiver',
  'recipient',
  'to',
  'sender',
  'from',
  'replyto',
  'cc',
  'bcc',
  'subject',
  'message',
  'body',
  'text',
  'html',
  'content',
  'phone',
  'phonenumber',
  'email',
]);
/** Of these, names are masked too: the name of a file may tell whom it is about. */
const MASKED_WITH_NAMES: ReadonlySet<string> = new Set(['attachments', 'attachmentlist']);

/** The payload with personal data replaced by its length, for a screen that others may see. `value` as of JSON.parse. */
export function maskPayload(value: unknown): unknown {
  return walk(value, MASKED);
}

function walk(value: unknown, masked: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => walk(item, masked));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      if (masked.has(plain)) return [name, hidden(member)];
      return [name, walk(member, MASKED_WITH_NAMES.has(plain) ? WITH_NAMES : masked)];
    }),
  );
}

const WITH_NAMES: ReadonlySet<string> = new Set([...MASKED, 'name', 'filename']);

/** Says how much there is; what is empty stays as it is, since that may be the fault. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (value === null || value === undefined || value === '') return value;
  if (typeof value === 'string') return `[masked, ${value.length} characters]`;
  return '[masked]';
}
