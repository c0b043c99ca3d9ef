import type { UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import { useAsked } from '../admin-api/use-asked.ts';
import { copyText } from '../clipboard/copy.ts';
import { Link } from '../page/link.tsx';
import { Sheet } from '../page/sheet.tsx';
import { Bones, Shown } from '../page/states.tsx';
import { formatBytes, formatDateTime } from '../tiles/format.ts';
import { keyForm } from '../words/key-form.ts';
import { keys } from '../words/keys.ts';
import { ChangeKey } from './change-key.tsx';
import { EndKey } from './end-key.tsx';
import { KeyDays } from './key-days.tsx';
import { LimitBars, StateWord } from './limit-bars.tsx';

interface KeySheetProps {
  readonly id: string;
  /** Called when the key is not as the list behind has it. */
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** One key: what it has used, what is left, and everything that can be done to it. */
export function KeySheet({ id, onChange, onClose }: KeySheetProps) {
  const asked = useAsked<UsedKey>(`/keys/${encodeURIComponent(id)}?use=true`);
  const changed = () => {
    asked.again();
    onChange();
  };
  return (
    <Sheet title={asked.body?.name ?? keys().theKey} onClose={onClose}>
      <Shown asked={asked} bones={<Bones rows={10} />}>
        {(key) => (
          <>
            <Facts shown={key} />
            <section>
              <h3>{keyForm().left}</h3>
              <LimitBars {...key} />
            </section>
            <KeyDays id={key.id} />
            {key.state !== 'revoked' && (
              <ChangeKey shown={key} etag={asked.etag ?? `"${key.version}"`} onSaved={changed} />
            )}
            <EndKey
              shown={key}
              etag={asked.etag ?? `"${key.version}"`}
              onDone={(isGone) => {
                if (isGone) {
                  onClose();
                  onChange();
                } else changed();
              }}
            />
          </>
        )}
      </Shown>
    </Sheet>
  );
}

function Facts({ shown }: { readonly shown: UsedKey }) {
  const words = keyForm();
  const { facts } = words;
  const time = (at: string | null) => (at === null ? undefined : formatDateTime(Date.parse(at)).slice(0, 16));
  const rows: [string, string | undefined][] = [
    [words.fields.owner, shown.owner ?? undefined],
    [words.fields.note, shown.note ?? undefined],
    [facts.created, time(shown.createdAt)],
    [facts.lastUsed, time(shown.lastUsedAt) ?? keys().never],
    [words.fields.expiresAt, time(shown.expiresAt)],
    [facts.revoked, time(shown.revokedAt)],
    [facts.oldKeyUntil, time(shown.oldKeyUntil)],
    [facts.uploads, words.ofBytes(formatBytes(shown.stored), formatBytes(shown.storage))],
  ];
  return (
    <>
      <p class="id-line">
        <StateWord state={shown.state} />
        <code>{shown.id}</code>
        <button type="button" class="quiet" onClick={() => void copyText(shown.id)}>
          {words.copyId}
        </button>
      </p>
      <dl class="facts">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
        )}
      </dl>
      <p class="links">
        <Link path="/requests" query={{ q: shown.id }}>
          {words.log}
        </Link>
        <Link path="/usage" query={{ key: shown.id }}>
          {words.usage}
        </Link>
        <Link path="/audit" query={{ target: shown.id }}>
          {words.audit}
        </Link>
      </p>
    </>
  );
}
