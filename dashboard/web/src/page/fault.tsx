import { shell } from '../words/shell.ts';

/** Says that one part cannot be shown now; what it showed stays, and the rest of the page is live. */
export function Fault({ reason }: { readonly reason: string | undefined }) {
  if (reason === undefined) return null;
  return <p class="fault">▲ {shell().notUpToDate(reason)}</p>;
}
