import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { connection, signedIn, version } from '../live/live-state.ts';
import { Overview } from '../overview/overview.tsx';
import { shell } from '../words/shell.ts';
import { Trouble } from './connection-trouble.tsx';
import type { PageProps } from './page-props.ts';
import { go, place, setQuery } from './place.ts';
import { OVERVIEW, ROUTES, type Route } from './routes.ts';
import { Bones, ForOperator, State, Unloaded } from './states.tsx';
import { Troubles } from './troubles.tsx';

/** The page that the address names, below what is wrong with the service. */
export function ShownPage() {
  const { path } = place.value;
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useLayoutEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // A reader who follows a link by keyboard or ear goes on where the new page begins.
    main.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [path]);
  return (
    <main id="content" ref={main} tabindex={-1} class={connection.value}>
      <Troubles />
      <Trouble />
      {path === OVERVIEW.path ? <Overview /> : <OtherPage path={path} />}
    </main>
  );
}

function OtherPage({ path }: { readonly path: string }) {
  const route = ROUTES.find((known) => known.path === path);
  return (
    <section class="card" aria-label={route?.title() ?? shell().noSuchPage}>
      {route === undefined ? <NoSuchPage /> : <ForSignedIn key={path} route={route} />}
    </section>
  );
}

/** Before the first word of the server it is not known who looks on; who may see nothing is to ask for nothing. */
function ForSignedIn({ route }: { readonly route: Route }) {
  if (signedIn.value || route.isOpen === true) return <Loaded route={route} />;
  return version.value === '' ? <Bones rows={8} /> : <ForOperator />;
}

function Loaded({ route }: { readonly route: Route }) {
  const page = useSignal<ComponentType<PageProps> | 'failed' | undefined>(undefined);
  useEffect(() => {
    route.load().then(
      ({ Page }) => {
        page.value = Page;
      },
      () => {
        page.value = 'failed';
      },
    );
  }, [route]);
  const Page = page.value;
  if (Page === 'failed') return <Unloaded />;
  if (Page === undefined) return <Bones rows={8} />;
  return <Page query={place.value.query} setQuery={setQuery} />;
}

function NoSuchPage() {
  return (
    <State title={shell().noSuchPage}>
      <p>{shell().noSuchPageWhy}</p>
      <p class="actions">
        <button type="button" onClick={() => go(OVERVIEW.path)}>
          {shell().toOverview}
        </button>
      </p>
    </State>
  );
}
