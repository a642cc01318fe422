/** Choices of the user that survive a reload: language and theme in the browser, the access token in the tab only. */
import { effect, signal, type Signal } from '@preact/signals';

export type Language = 'en' | 'ro';
export type Theme = 'system' | 'light' | 'dark';

const LANGUAGES: readonly Language[] = ['en', 'ro'];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** A signal that is kept in the browser's storage. A browser without storage only forgets it. */
function createStored<Value extends string>(
  storage: () => Storage,
  key: string,
  read: (stored: string | null) => Value,
): Signal<Value> {
  const attempt = <Result>(use: (open: Storage) => Result): Result | null => {
    try {
      return use(storage());
    } catch {
      return null;
    }
  };
  const kept = signal(read(attempt((open) => open.getItem(key))));
  effect(() => {
    const { value } = kept;
    attempt((open) => (value === '' ? open.removeItem(key) : open.setItem(key, value)));
  });
  return kept;
}

const preferred = navigator.languages[0]?.slice(0, 2).toLowerCase();
export const language = createStored<Language>(
  () => localStorage,
  'workbench.language',
  (stored) => LANGUAGES.find((one) => one === stored) ?? LANGUAGES.find((one) => one === preferred) ?? 'en',
);
export const theme = createStored<Theme>(
  () => localStorage,
  'workbench.theme',
  (stored) => THEMES.find((one) => one === stored) ?? 'system',
);
/** The access token of this tab; empty: none. */
export const token = createStored<string>(
  () => sessionStorage,
  'workbench.token',
  (stored) => stored ?? '',
);

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
