import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { LogFilter } from '@lontar/shared/log-filter.ts';
import { filter, setFilter } from './log-state.ts';
import { OUTCOME_WORDS } from './outcomes.ts';

/** What of the log is shown; the choice is part of the page's address. */
export function LogFilters() {
  const { outcome, route, maskedOnly, text } = filter.value;
  const change = (part: LogFilter) => setFilter(present({ ...filter.value, ...part }));
  return (
    <form class="filters" role="search" aria-label="Filter the log" onSubmit={(event) => event.preventDefault()}>
      <select
        aria-label="Outcome"
        value={outcome ?? ''}
        onChange={({ currentTarget }) => change({ outcome: currentTarget.value })}
      >
        <option value="">All outcomes</option>
        {Object.entries(OUTCOME_WORDS).map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
      <select
        aria-label="Endpoint"
        value={route ?? ''}
        onChange={({ currentTarget }) => change({ route: currentTarget.value })}
      >
        <option value="">All endpoints</option>
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
        Secured only
      </label>
      <input
        type="search"
        aria-label="Text in request id, key id or key name"
        placeholder="Request id or key"
        value={text ?? ''}
        onInput={({ currentTarget }) => change({ text: currentTarget.value.trim() })}
      />
    </form>
  );
}

/** A filter without its empty fields. */
function present(wanted: LogFilter): LogFilter {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '' && value !== false));
}
