/** Choices of the user that survive a reload: language and theme in the browser, the access token in the tab only. */
import { effect, signal, type Signal } from '@preact/signals';

export type Language = 'en' | 'ro';
export type Theme = 'system' | 'light' | 'dark';

const LANGUAGES: readonly Language[] = ['en', 'ro'];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const TOKEN_KEY = 'workbench.token';

/** A signal that is kept in the browser's storage. A browser without storage only forgets it. */
function createStored<Value extends string>(
  key: string,
  values: readonly Value[],
  initial: Value,
): Signal<Value> {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // Storage is disabled.
  }
  const kept = signal(values.find((value) => value === stored) ?? initial);
  effect(() => {
    const { value } = kept;
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is disabled.
    }
  });
  return kept;
}

function preferredLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return LANGUAGES.find((language) => language === wanted[0]) ?? 'en';
}

export const language = createStored<Language>('workbench.language', LANGUAGES, preferredLanguage());
export const theme = createStored<Theme>('workbench.theme', THEMES, 'system');

/** The access token of this tab; empty: none. */
export const token = signal(readToken());

function readToken(): string {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? '';
  } catch {
    return '';
  }
}

/** Keeps an access token for this tab; an empty one forgets it. */
export function setToken(value: string): void {
  token.value = value;
  try {
    if (value === '') sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, value);
  } catch {
    // Storage is disabled.
  }
}

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
