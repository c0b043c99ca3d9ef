import type { ComponentChildren } from 'preact';
import type { Asked } from '../admin-api/reading.ts';
import { signedOut } from '../live/live-state.ts';
import { formatClock } from '../tiles/format.ts';
import { sayRefusal, titleOf } from '../words/refusals.ts';
import { shell } from '../words/shell.ts';

/** What stands where a page's content would be: why there is none, and what can be done. */
export function State(props: {
  readonly title: string;
  readonly tone?: 'fault';
  readonly children?: ComponentChildren;
}) {
  return (
    <div class={props.tone === 'fault' ? 'state failing' : 'state'} role={props.tone === 'fault' ? 'alert' : undefined}>
      <p>
        <strong>
          {props.tone === 'fault' && <span aria-hidden="true">▲ </span>}
          {props.title}
        </strong>
      </p>
      {props.children}
    </div>
  );
}

/**
 * What of an answer can be shown: a skeleton while the first is awaited, why there is none, or the content; over that it
 * says where it is not up to date.
 *
 * @param bones stands for the content, in its size, until there is some
 */
export function Shown<Body>(props: {
  readonly asked: Asked<Body> & { readonly again: () => void };
  readonly bones: ComponentChildren;
  readonly children: (body: Body) => ComponentChildren;
}) {
  const { body, refused, isLoading, at, again } = props.asked;
  if (body === undefined && refused !== undefined && !isLoading) return <Failed asked={props.asked} />;
  if (body === undefined) return <>{props.bones}</>;
  return (
    <>
      {refused !== undefined && (
        <div class="trouble" role="alert">
          <p>
            <strong>{shell().asOf(formatClock(at ?? 0))}.</strong> {titleOf(refused)}. {sayRefusal(refused)}
          </p>
          <button type="button" onClick={again}>
            {shell().retry}
          </button>
        </div>
      )}
      <div class={isLoading ? 'shown busy' : 'shown'} aria-busy={isLoading}>
        {props.children(body)}
      </div>
    </>
  );
}

function Failed<Body>({ asked }: { readonly asked: Asked<Body> & { readonly again: () => void } }) {
  const { refused, again } = asked;
  if (refused === undefined) return null;
  const isOffline = refused.kind === 'unreachable' && !navigator.onLine;
  return (
    <State title={titleOf(refused)} tone="fault">
      <p>{refused.kind === 'off' ? shell().offWhy : isOffline ? shell().offline : sayRefusal(refused)}</p>
      <p class="actions">
        <button type="button" onClick={again}>
          {shell().retry}
        </button>
      </p>
    </State>
  );
}

/** What a page other than the overview shows who is not signed in, where the counters are public. */
export function ForOperator() {
  return (
    <State title={shell().forOperator}>
      <p>{shell().forOperatorWhy}</p>
      <p class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => {
            signedOut.value = true;
          }}
        >
          {shell().signIn}
        </button>
      </p>
    </State>
  );
}

/** A part of the page that is fetched when it is first opened did not come: offline, or the service was upgraded meanwhile. */
export function Unloaded() {
  return (
    <State title={shell().unloaded} tone="fault">
      <p>{navigator.onLine ? shell().unloadedUpgrade : shell().offline}</p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => location.reload()}>
          {shell().reload}
        </button>
      </p>
    </State>
  );
}

/** Lines in the place of rows that are on their way. */
export function Bones({ rows }: { readonly rows: number }) {
  return (
    <div class="bones" aria-busy="true">
      <span class="off-screen">{shell().loading}</span>
      {Array.from({ length: rows }, (_, index) => (
        <span class="bone" key={index} aria-hidden="true" />
      ))}
    </div>
  );
}
