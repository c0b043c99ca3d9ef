import type { KeyView } from '@lontar/shared/keys/key-view.ts';
import { useAsked } from '../admin-api/use-asked.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { formatDateTime } from '../tiles/format.ts';
import { keys } from '../words/keys.ts';

interface KeyPage {
  readonly keys: readonly KeyView[];
}

/** The keys that there are, the newest first. */
export function Page() {
  const asked = useAsked<KeyPage>('/keys?descending=true');
  const words = keys();
  return (
    <>
      <div class="card-head">
        <h2>{words.title}</h2>
      </div>
      <Shown asked={asked} bones={<Bones rows={8} />}>
        {({ keys }) => (keys.length === 0 ? <State title={words.none}>{words.noneWhy}</State> : <Table keys={keys} />)}
      </Shown>
    </>
  );
}

function Table({ keys: rows }: { readonly keys: readonly KeyView[] }) {
  const words = keys();
  return (
    <div class="scroll-x" tabindex={0} role="region" aria-label={words.title}>
      <table class="plain">
        <thead>
          <tr>
            {[words.name, words.owner, words.state, words.lastUsed].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, owner, state, lastUsedAt }) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td>
                <bdi>{owner}</bdi>
              </td>
              <td>{words.states[state]}</td>
              <td>{lastUsedAt === null ? words.never : formatDateTime(Date.parse(lastUsedAt)).slice(0, 16)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
