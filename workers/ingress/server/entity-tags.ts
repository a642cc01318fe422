import { createHash } from 'node:crypto';

/** 132 bits. */
const TAG_CHARACTERS = 22;

/** The entity tag of a content. Weak, because it is the same for all codings of it. */
export function weakTag(content: string | Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** RFC 9110 section 13.1.2: `*` or a list of tags, compared weakly. */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = new Set(ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
  return tags.has('*') || tags.has(etag.replace(/^W\//, ''));
}
