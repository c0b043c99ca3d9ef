import type { ComponentType } from 'preact';
import { shell } from '../words/shell.ts';
import type { PageProps } from './page-props.ts';

/** A page of the console. */
export interface Route {
  /** Behind the `#` of the address. */
  readonly path: string;
  /** Its name in the navigation and the tab's title, in the language of now. */
  readonly title: () => string;
  /** Whether those may see it, too, who are not signed in, where the counters are public. */
  readonly isOpen?: true;
  /** Fetches it when it is first opened. */
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
}

/** The first page is no module of its own: its numbers are to stand there at once. */
export const OVERVIEW = { path: '/', title: () => shell().overview };

/** All other pages, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: '/keys', title: () => shell().keys, load: () => import('../keys/keys-page.tsx') },
  { path: '/usage', title: () => shell().usage, load: () => import('../usage/usage-page.tsx') },
  { path: '/models', title: () => shell().models, load: () => import('../models/models-page.tsx') },
  { path: '/requests', title: () => shell().requests, load: () => import('../requests/requests-page.tsx') },
  { path: '/audit', title: () => shell().audit, load: () => import('../audit/audit-page.tsx') },
  {
    path: '/playground',
    title: () => shell().playground,
    isOpen: true,
    load: () => import('../playground/playground-page.tsx'),
  },
];
