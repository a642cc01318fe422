/** The known name that equals a text, ignoring case and surrounding blanks; undefined if there is none. */
export function findName<Known extends string>(known: readonly Known[], text: string): Known | undefined {
  const wanted = text.trim().toLowerCase();
  return known.find((name) => name.toLowerCase() === wanted);
}
