import { KEY_STATES } from '@lontar/shared/keys/key-query.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { PageProps } from '../page/page-props.ts';
import { keys } from '../words/keys.ts';
import { type ShownKeys, SORTS } from './key-query.ts';

/** How long the reader may pause in a word, ms. */
const TYPING_MS = 250;

interface HeadProps extends Pick<PageProps, 'setQuery'> {
  readonly shown: ShownKeys;
  readonly save: (() => void) | undefined;
}

/** Which keys are shown, in which order, and what can be done with them. */
export function KeysHead({ shown, setQuery, save }: HeadProps) {
  const words = keys();
  const { owner } = shown;
  return (
    <>
      <div class="card-head">
        <h2>{words.title}</h2>
        <Filters shown={shown} setQuery={setQuery} />
        <span class="keys-actions">
          <button type="button" class="quiet" disabled={save === undefined} onClick={save}>
            {words.csv}
          </button>
          <button type="button" class="primary" aria-haspopup="dialog" onClick={() => setQuery({ new: '1' })}>
            {words.newKey}
          </button>
        </span>
      </div>
      {owner !== '' && (
        <p class="chosen">
          <button
            type="button"
            aria-label={words.showAll(words.ofOwner(owner))}
            onClick={() => setQuery({ owner: undefined, cursor: undefined, page: undefined })}
          >
            <bdi>{words.ofOwner(owner)}</bdi> <span aria-hidden="true">✕</span>
          </button>
        </p>
      )}
    </>
  );
}

function Filters({ shown, setQuery }: Omit<HeadProps, 'save'>) {
  const words = keys();
  const { state, sort, search, owner } = shown;
  const typed = useSignal(search);
  // Back and forward, and what empties the search from elsewhere; at once, so that no letter can be typed in between.
  useLayoutEffect(() => {
    if (search.trim() !== typed.value.trim()) typed.value = search;
  }, [search]);
  useEffect(() => {
    if (typed.value === search) return undefined;
    const timer = setTimeout(() => change({ q: typed.value }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const change = (wanted: Record<string, string>) =>
    setQuery({ ...wanted, cursor: undefined, page: undefined }, { replace: true });
  const isFound = search.trim() !== '' || owner !== '';
  return (
    <form class="filters" role="search" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        maxLength={200}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
      />
      <select
        aria-label={words.stateFilter}
        value={state}
        onChange={({ currentTarget }) => change({ state: currentTarget.value })}
      >
        <option value="">{words.allStates}</option>
        {KEY_STATES.map((name) => (
          <option key={name} value={name}>
            {words.states[name]}
          </option>
        ))}
      </select>
      <select
        aria-label={words.sortBy}
        value={sort}
        disabled={isFound}
        title={isFound ? words.ownOrder : undefined}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value })}
      >
        {SORTS.map((name) => (
          <option key={name} value={name}>
            {words.sorts[name]}
          </option>
        ))}
      </select>
    </form>
  );
}
