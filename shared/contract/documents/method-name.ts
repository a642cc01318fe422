/** Names of operations, which generated clients use for their methods. */

/** The name of a method in camel case for a message type or name such as `CalculatePMTRequest`: `calculatePmt`. */
export function methodName(name: string): string {
  const words = name.replace(/Request$/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+/g) ?? [];
  const capitalised = words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join('');
  return capitalised.charAt(0).toLowerCase() + capitalised.slice(1);
}
