/** The known name that a text spells in any case, with blanks around it; undefined when there is none. */
export function findName<Known extends string>(known: readonly Known[], text: string): Known | undefined {
  const wanted = text.trim().toLowerCase();
  return known.find((name) => name.toLowerCase() === wanted);
}
