import type { Lack } from '../live/live-state.ts';
import { shell } from '../words/shell.ts';

/** Says that one part cannot be shown now; what it showed stays, and the rest of the page is live. */
export function Fault({ lack }: { readonly lack: Lack | undefined }) {
  if (lack === undefined) return null;
  // Another version of the service may know further reasons.
  const reason = (shell().lacks as Partial<Record<string, string>>)[lack.code] ?? lack.reason;
  return <p class="fault">▲ {shell().notUpToDate(reason)}</p>;
}
