import type { LogDetail, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { copyText } from '../clipboard/copy.ts';
import { MaskedText } from '../clipboard/masked-text.tsx';
import { logContent } from '../live/live-state.ts';
import { Link } from '../page/link.tsx';
import { openBlocked } from '../page/panels.ts';
import { Sheet } from '../page/sheet.tsx';
import { formatCount, formatDateTime, formatDecimal, formatMs } from '../tiles/format.ts';
import { detail as details } from '../words/detail.ts';
import { log } from '../words/log.ts';
import { MaskBadge, OutcomeWord } from './log-row.tsx';
import { describeCharge, maskedByType, whyNoText } from './outcomes.ts';
import { waterfall } from './waterfall.ts';

/** Everything that is known of one request. */
export function DetailSheet({ cursor }: { readonly cursor: string }) {
  const detail = useSignal<LogDetail | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const leaving = new AbortController();
    detail.value = undefined;
    problem.value = '';
    readDetail(cursor, leaving.signal).then(
      (found) => {
        detail.value = found;
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) problem.value = error instanceof Error ? error.message : details().unread;
      },
    );
    return () => leaving.abort();
  }, [cursor]);
  const found = detail.value;
  return (
    <Sheet title={details().title}>
      {problem.value !== '' && <p class="fault">▲ {problem.value}</p>}
      {found === undefined && problem.value === '' && <p class="bone tall" />}
      {found && <Detail {...found} />}
    </Sheet>
  );
}

function Detail({ row, texts, prompt, answer }: LogDetail) {
  const words = details();
  return (
    <>
      <p class="id-line">
        <code>{row.id}</code>
        <button type="button" class="quiet" onClick={() => void copyText(row.id)}>
          {words.copyId}
        </button>
      </p>
      <p class="facts-line">
        <OutcomeWord row={row} /> <MaskBadge row={row} />
      </p>
      {row.message !== undefined && <p>{words.told(row.message)}</p>}
      <Facts row={row} />
      <Links row={row} />
      {row.cause && <Cause {...row.cause} />}
      <Waterfall row={row} />
      {texts === 'kept' && prompt !== undefined && (
        <KeptText name={words.prompt} copy={words.copyPrompt} text={prompt} />
      )}
      {texts === 'kept' && answer !== undefined && (
        <KeptText name={words.answer} copy={words.copyAnswer} text={answer} />
      )}
      {texts === 'expired' && <p class="hint">{words.expired}</p>}
      {texts === 'none' && <p class="hint">{words[whyNoText(row, logContent.value)]}</p>}
    </>
  );
}

function Facts({ row }: { readonly row: LogRow }) {
  const words = details();
  const { facts: names } = words;
  const facts: [string, string | undefined][] = [
    [row.error === 'client_closed' ? names.left : names.answered, formatDateTime(row.at)],
    [names.standsFor, row.count === undefined ? undefined : words.requests(formatCount(row.count))],
    [names.endpoint, `${row.method} ${row.route}`],
    [names.model, row.model],
    [names.route, row.upstream],
    [names.key, row.keyName === undefined ? row.keyId : `${row.keyName} (${row.keyId})`],
    [names.address, row.address],
    [names.error, row.error?.replaceAll('_', ' ')],
    [names.credit, describeCharge(row)],
    [names.tokens, row.tokens && words.tokens(formatCount(row.tokens.input), formatCount(row.tokens.output))],
    [names.ended, row.finishReason && words.finish[row.finishReason]],
    [names.masked, row.masked && maskedByType(row.masked)],
  ];
  return <FactList facts={facts} />;
}

/** The way to whoever asked: the key with its limits and its end, all requests of the address, and a block of it. */
function Links({ row: { keyId, address } }: { readonly row: LogRow }) {
  const words = details();
  // A row of many addresses has none.
  const isOne = /^[\da-f:./]+$/.test(address);
  return (
    <p class="links">
      {keyId !== undefined && (
        <Link path="/keys" query={{ key: keyId }}>
          {words.toKey}
        </Link>
      )}
      {isOne && (
        <Link path="/requests" query={{ q: address }}>
          {words.ofAddress}
        </Link>
      )}
      {isOne && (
        <button type="button" class="link" aria-haspopup="dialog" onClick={() => openBlocked(address)}>
          {words.block}
        </button>
      )}
    </p>
  );
}

function FactList(props: {
  readonly facts: readonly (readonly [string, string | undefined])[];
  readonly narrow?: boolean;
}) {
  return (
    <dl class={props.narrow ? 'facts narrow' : 'facts'}>
      {props.facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Why the model call failed, and what can be done; the caller was told none of it. */
function Cause(cause: NonNullable<LogRow['cause']>) {
  const { reason, upstreamHost, upstreamStatus, upstreamCode, upstreamRequestId, upstreamMessage, advice } = cause;
  const { whyFailed, cause: names } = details();
  const facts: [string, string | undefined][] = [
    [names.call, reason.replaceAll('_', ' ')],
    [names.upstream, upstreamHost],
    [names.status, upstreamStatus?.toString()],
    [names.code, upstreamCode],
    [names.request, upstreamRequestId],
    [names.said, upstreamMessage],
  ];
  return (
    <section class="cause" aria-label={whyFailed}>
      <h3>{whyFailed}</h3>
      {advice !== undefined && <p class="fault">▲ {advice}</p>}
      <FactList facts={facts} narrow />
    </section>
  );
}

function Waterfall({ row }: { readonly row: LogRow }) {
  const words = details();
  const stages = waterfall(row);
  if (stages.length === 0) {
    // Only what was in the queue has a model.
    const how = row.model === undefined ? words.byGateway : words.whileWaiting;
    return <p class="hint">{how(formatMs(row.ms))}</p>;
  }
  const whole = Math.max(row.ms, ...stages.map(({ startMs, durationMs }) => startMs + durationMs), 1);
  return (
    <section class="waterfall" aria-label={words.whereInAll(formatMs(row.ms))}>
      <h3>
        {words.where} · {formatMs(row.ms)}
      </h3>
      <ol>
        {stages.map(({ name, tone, startMs, durationMs }) => (
          <li key={name}>
            <span>{name}</span>
            <span class="track" aria-hidden="true">
              <i
                class={tone}
                style={{ left: `${(startMs / whole) * 100}%`, width: `max(2px, ${(durationMs / whole) * 100}%)` }}
              />
            </span>
            <span class="ms">
              {durationMs > 0 && durationMs < 1 ? `${formatDecimal(durationMs, 2)} ms` : formatMs(durationMs)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function KeptText({ name, copy, text }: { readonly name: string; readonly copy: string; readonly text: string }) {
  return (
    <section class="masked-text">
      <h3>
        {name}
        <button type="button" class="quiet" aria-label={copy} onClick={() => void copyText(text)}>
          {log().copy}
        </button>
      </h3>
      <pre data-masked tabindex={0} aria-label={name}>
        <MaskedText text={text} />
      </pre>
    </section>
  );
}

async function readDetail(cursor: string, signal: AbortSignal): Promise<LogDetail> {
  const response = await fetch(`/dashboard/log/${encodeURIComponent(cursor)}`, { signal });
  const body = (await response.json().catch(() => ({}))) as LogDetail;
  if (response.status === 404) throw new Error(details().gone);
  if (!response.ok) throw new Error(details().unread);
  return body;
}
