/** Texts in the languages of the workbench. A part keeps its own texts beside it. */
import { language, type Language } from './preferences.ts';

type Texts<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>;

/**
 * Returns a function that finds a text in the current language and fills in `{name}`. Components that call it render again when
 * the language changes.
 */
export function createTexts<Key extends string>(texts: Texts<Key>) {
  return (key: Key, values: Readonly<Record<string, string | number>> = {}): string =>
    texts[language.value][key].replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      String(values[name] ?? whole),
    );
}
