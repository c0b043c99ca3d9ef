import { signedIn, version } from '../live/live-state.ts';
import { shell } from '../words/shell.ts';
import { Link } from './link.tsx';
import { place } from './place.ts';
import { OVERVIEW, ROUTES } from './routes.ts';

/** The way to the other pages: links with addresses of their own, so that each can be opened in another tab. */
export function Navigation() {
  // Before the first word of the server it is not known who looks on.
  const isOnlooker = version.value !== '' && !signedIn.value;
  const routes = ROUTES.filter(({ isOpen = false }) => isOpen || !isOnlooker);
  return (
    <nav class="pages" aria-label={shell().pages}>
      {[OVERVIEW, ...routes].map(({ path, title }) => (
        <Link key={path} path={path} isCurrent={place.value.path === path}>
          {title()}
        </Link>
      ))}
    </nav>
  );
}
