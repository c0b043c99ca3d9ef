import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const STORED = 'lontar-theme';

export const theme = signal<Theme>(readTheme());

/** Puts the chosen theme on the page; the style sheet does the rest. */
export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

/** The next of the three. */
export function changeTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  try {
    localStorage.setItem(STORED, theme.value);
  } catch {
    // Private windows may keep nothing; the choice holds until the page is closed.
  }
  applyTheme();
}

function readTheme(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(STORED)) ?? 'system';
  } catch {
    return 'system';
  }
}
