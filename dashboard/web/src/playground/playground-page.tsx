import './playground.css';
import { useEffect } from 'preact/hooks';
import type { PageProps } from '../page/page-props.ts';
import { ConversationView } from './conversation-view.tsx';
import { takeQuery } from './playground-state.ts';
import { SamplesView } from './samples-view.tsx';
import { SettingsForm } from './settings-form.tsx';

/** A conversation with a model, sent to the same gateway as callers' with a caller's key. */
export function Page({ query, setQuery }: PageProps) {
  useEffect(() => takeQuery(query), [query]);
  return (
    <div class="playground">
      <ConversationView />
      <SettingsForm setQuery={setQuery} />
      <SamplesView />
    </div>
  );
}
