import { addressOf, go } from './place.ts';

/** A link to a page: it can be opened in another tab, and loads nothing anew where it is followed here. */
export function Link(props: {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Whether it leads to where the reader is. */
  readonly isCurrent?: boolean;
  readonly children: string;
}) {
  const { path, query, isCurrent = false, children } = props;
  const wanted = new URLSearchParams(query);
  return (
    <a
      href={addressOf(path, wanted)}
      data-title={children}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(path, wanted);
      }}
    >
      {children}
    </a>
  );
}
