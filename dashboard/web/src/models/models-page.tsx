import './models.css';
import type { ModelsView, ModelView } from '@lontar/shared/admin/models-schemas.ts';
import { useEffect } from 'preact/hooks';
import { useAsked } from '../admin-api/use-asked.ts';
import { addressOf } from '../page/place.ts';
import { Bones, Shown, State } from '../page/states.tsx';
import { formatClock, formatCount } from '../tiles/format.ts';
import { models } from '../words/models.ts';
import { shell } from '../words/shell.ts';
import { RoutesTable } from './routes-table.tsx';
import { UpstreamsTable } from './upstreams-table.tsx';

/** How often the page asks anew, ms: what it shows is of the last five minutes. */
const EVERY_MS = 10_000;

/** Which models there are, by which routes each is answered, and how these do. */
export function Page() {
  const asked = useAsked<ModelsView>('/models');
  const { again, at, isLoading } = asked;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const words = models();
  return (
    <div class="models-page">
      <div class="card-head">
        <h2>{words.title}</h2>
        <p class="tail">
          {at !== undefined && <span class="hint">{shell().asOf(formatClock(at))}</span>}
          <button type="button" class="quiet" disabled={isLoading} onClick={again}>
            {words.refresh}
          </button>
        </p>
      </div>
      {/* A page that asks by itself must not dim each time. */}
      <Shown asked={{ ...asked, isLoading: isLoading && asked.body === undefined }} bones={<Bones rows={7} />}>
        {(found) => <Content {...found} />}
      </Shown>
    </div>
  );
}

function Content({ catalog, models: all, upstreams }: ModelsView) {
  const words = models();
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  return (
    <>
      {catalog === null && <p class="notes">{words.noCatalog}</p>}
      {catalog !== null && <Notes {...catalog} />}
      {all.length === 0 && <State title={words.none}>{words.noneWhy}</State>}
      {all.map((model) => (
        <Model key={model.name} model={model} upstreams={byName} />
      ))}
      {upstreams.length > 0 && <UpstreamsTable upstreams={upstreams} />}
    </>
  );
}

/** What the operator should know of the catalog as a whole; nothing where all is well. */
function Notes({ source, agreed, broken, modelsLeftOut }: NonNullable<ModelsView['catalog']>) {
  const words = models();
  const notes = [
    broken && words.broken,
    !agreed && words.notAgreed,
    source === 'variables' && words.fromVariables,
    modelsLeftOut > 0 && words.leftOut(formatCount(modelsLeftOut)),
  ].filter((note) => note !== false);
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note} class={note === words.broken || note === words.notAgreed ? 'warning' : undefined}>
          {note}
        </li>
      ))}
    </ul>
  );
}

function Model(props: {
  readonly model: ModelView;
  readonly upstreams: Parameters<typeof RoutesTable>[0]['upstreams'];
}) {
  const { model, upstreams } = props;
  const words = models();
  const { name, inCatalog, aliases, requests, serverErrors, timeouts, routes } = model;
  const failures = serverErrors + timeouts;
  return (
    <section class="model" aria-label={name}>
      <div class="model-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <Availability model={model} />
        <p class="hint">
          {words.lastDays(formatCount(requests))}
          {failures > 0 && `, ${words.failures(formatCount(failures))}`}
        </p>
        <p class="tail">
          <a href={addressOf('/usage', new URLSearchParams({ model: name }))} aria-label={words.usageOf(name)}>
            {words.usage}
          </a>
          {inCatalog && (
            <a
              class="button"
              href={addressOf('/playground', new URLSearchParams({ model: name, endpoint: '/v1/chat/completions' }))}
              aria-label={words.testOf(name)}
            >
              {words.test}
            </a>
          )}
        </p>
      </div>
      <Facts model={model} aliases={aliases} />
      {routes.length > 0 && <RoutesTable name={name} routes={routes} upstreams={upstreams} />}
    </section>
  );
}

/** Whether callers get an answer, as icon and word. */
function Availability({ model: { inCatalog, routes, routesUp } }: { readonly model: ModelView }) {
  const words = models();
  if (!inCatalog) return <span class="badge">{words.notInCatalog}</span>;
  const tone = routesUp === routes.length ? 'success' : routesUp === 0 ? 'failure' : 'caller';
  const icon = { success: '✓', caller: '▲', failure: '✕' }[tone];
  return (
    <span class={`word ${tone}`}>
      <span aria-hidden="true">{icon}</span>{' '}
      {routesUp === 0 ? words.down : words.routesUp(formatCount(routesUp), formatCount(routes.length))}
    </span>
  );
}

function Facts({ model, aliases }: { readonly model: ModelView; readonly aliases: readonly string[] }) {
  const words = models();
  const { price, hedgeAfter } = model;
  const facts = [
    aliases.length > 0 && words.aliases(aliases.join(', ')),
    price !== null && words.price(String(price.input), String(price.output)),
    hedgeAfter !== null && words.hedged,
  ].filter((fact) => fact !== false);
  if (facts.length === 0) return null;
  return <p class="hint model-facts">{facts.join(' · ')}</p>;
}
