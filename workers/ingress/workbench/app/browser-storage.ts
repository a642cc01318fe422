/** Where the browser keeps each choice. If the browser forbids storage, a choice ends with the page. */
const STORAGES = {
  'workbench.language': 'localStorage',
  'workbench.theme': 'localStorage',
  'workbench.token': 'sessionStorage',
} as const;

export function stored(key: keyof typeof STORAGES): string {
  try {
    return globalThis[STORAGES[key]].getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function store(key: keyof typeof STORAGES, value: string): void {
  try {
    if (value === '') globalThis[STORAGES[key]].removeItem(key);
    else globalThis[STORAGES[key]].setItem(key, value);
  } catch {
    // The browser forbids storage, or its storage is full.
  }
}
