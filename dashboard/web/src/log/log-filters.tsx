import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { LogFilter } from '@lontar/shared/log-filter.ts';
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { log } from '../words/log.ts';

/** What of the log is shown; the choice is part of the page's address. */
export function LogFilters(props: { readonly filter: LogFilter; readonly setFilter: (wanted: LogFilter) => void }) {
  const { outcome, route, maskedOnly, text } = props.filter;
  const change = (part: LogFilter) => props.setFilter(present({ ...props.filter, ...part }));
  const words = log();
  const typed = useSignal(text ?? '');
  // Spaces at its ends are no part of the filter, and stay while the next word is typed.
  useLayoutEffect(() => {
    if (typed.value.trim() !== (text ?? '')) typed.value = text ?? '';
  }, [text]);
  return (
    <form class="filters" role="search" aria-label={words.filter} onSubmit={(event) => event.preventDefault()}>
      <select
        aria-label={words.columns.outcome}
        value={outcome ?? ''}
        onChange={({ currentTarget }) => change({ outcome: currentTarget.value })}
      >
        <option value="">{words.allOutcomes}</option>
        {Object.entries(words.outcomes).map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
      <select
        aria-label={words.columns.endpoint}
        value={route ?? ''}
        onChange={({ currentTarget }) => change({ route: currentTarget.value })}
      >
        <option value="">{words.allEndpoints}</option>
        {[...GENERATION_ENDPOINTS, '/api/upload', '/api/code', 'other'].map((path) => (
          <option key={path} value={path}>
            {path}
          </option>
        ))}
      </select>
      <label>
        <input
          type="checkbox"
          checked={maskedOnly ?? false}
          onChange={({ currentTarget }) => change({ maskedOnly: currentTarget.checked })}
        />
        {words.securedOnly}
      </label>
      <input
        type="search"
        aria-label={words.text}
        placeholder={words.textHint}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          change({ text: typed.value.trim() });
        }}
      />
    </form>
  );
}

/** A filter without its empty fields. */
function present(wanted: LogFilter): LogFilter {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '' && value !== false));
}
