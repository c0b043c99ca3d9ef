import type { LogDetail, LogRow } from '@lontar/shared/dashboard-contract.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { cleanText } from '../clipboard/clean-text.ts';
import { copyText } from '../clipboard/copy.ts';
import { chipName, maskedPieces } from '../clipboard/masked-pieces.ts';
import { logContent } from '../live/live-state.ts';
import { Sheet } from '../page/sheet.tsx';
import { formatCount, formatDateTime, formatMs } from '../tiles/format.ts';
import { MaskBadge, OutcomeWord } from './log-row.tsx';
import { describeCharge, maskedByType } from './outcomes.ts';
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
        if (!leaving.signal.aborted) problem.value = error instanceof Error ? error.message : 'It could not be read.';
      },
    );
    return () => leaving.abort();
  }, [cursor]);
  const found = detail.value;
  return (
    <Sheet title="Request">
      {problem.value !== '' && <p class="fault">▲ {problem.value}</p>}
      {found === undefined && problem.value === '' && <p class="bone tall" />}
      {found && <Detail {...found} />}
    </Sheet>
  );
}

function Detail({ row, texts, prompt, answer }: LogDetail) {
  return (
    <>
      <p class="id-line">
        <code>{row.id}</code>
        <button type="button" class="quiet" onClick={() => void copyText(row.id)}>
          Copy id
        </button>
      </p>
      <p class="facts-line">
        <OutcomeWord row={row} /> <MaskBadge row={row} />
      </p>
      {row.message !== undefined && <p>The caller was told: “{row.message}”</p>}
      <Facts row={row} />
      {row.cause && <Cause {...row.cause} />}
      <Waterfall row={row} />
      {texts === 'kept' && prompt !== undefined && <MaskedText name="Prompt" text={prompt} />}
      {texts === 'kept' && answer !== undefined && <MaskedText name="Answer" text={answer} />}
      {texts === 'expired' && <p class="hint">Texts are kept for the newest 1,000 requests only.</p>}
      {texts === 'none' && (
        <p class="hint">
          {logContent.value ? 'No text was kept of this request.' : 'Texts are off (LOG_CONTENT=off).'}
        </p>
      )}
    </>
  );
}

/** Why a model ended its answer. */
const FINISH_WORDS: Readonly<Record<NonNullable<LogRow['finishReason']>, string>> = {
  stop: 'by itself',
  length: 'cut: the output tokens were used up',
  tool_calls: 'with tool calls',
  content_filter: 'cut by a safety filter',
};

function Facts({ row }: { readonly row: LogRow }) {
  const facts: [string, string | undefined][] = [
    [row.error === 'client_closed' ? 'Left' : 'Answered', formatDateTime(row.at)],
    [
      'Stands for',
      row.count === undefined ? undefined : `${formatCount(row.count)} requests of this address, reason and second`,
    ],
    ['Endpoint', `${row.method} ${row.route}`],
    ['Model', row.model],
    ['Route', row.upstream],
    ['Key', row.keyName === undefined ? row.keyId : `${row.keyName} (${row.keyId})`],
    ['Address', row.address],
    ['Error', row.error?.replaceAll('_', ' ')],
    ['Credit', describeCharge(row)],
    ['Tokens', row.tokens && `${formatCount(row.tokens.input)} in, ${formatCount(row.tokens.output)} out`],
    ['Ended', row.finishReason && FINISH_WORDS[row.finishReason]],
    ['Masked', row.masked && maskedByType(row.masked)],
  ];
  return <FactList facts={facts} />;
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
  const facts: [string, string | undefined][] = [
    ['The call', reason.replaceAll('_', ' ')],
    ['Upstream', upstreamHost],
    ['HTTP status', upstreamStatus?.toString()],
    ['Code', upstreamCode],
    ['Its request', upstreamRequestId],
    ['It said', upstreamMessage],
  ];
  return (
    <section class="cause" aria-label="Why the model call failed">
      <h3>Why the model call failed</h3>
      {advice !== undefined && <p class="fault">▲ {advice}</p>}
      <FactList facts={facts} narrow />
    </section>
  );
}

function Waterfall({ row }: { readonly row: LogRow }) {
  const stages = waterfall(row);
  if (stages.length === 0) {
    // Only what was in the queue has a model.
    const how = row.model === undefined ? 'by the gateway, without a worker' : 'while it waited for a worker';
    return (
      <p class="hint">
        Answered in {formatMs(row.ms)}, {how}.
      </p>
    );
  }
  const whole = Math.max(row.ms, ...stages.map(({ startMs, durationMs }) => startMs + durationMs), 1);
  return (
    <section class="waterfall" aria-label={`Where the time went, ${formatMs(row.ms)} in all`}>
      <h3>Where the time went · {formatMs(row.ms)}</h3>
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
              {durationMs > 0 && durationMs < 1 ? `${durationMs.toFixed(2)} ms` : formatMs(durationMs)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Masked text with its masks drawn as chips. It goes in as text: nothing in it is ever markup. */
function MaskedText({ name, text }: { readonly name: string; readonly text: string }) {
  const clean = cleanText(text);
  return (
    <section class="masked-text">
      <h3>
        {name}
        <button
          type="button"
          class="quiet"
          aria-label={`Copy the ${name.toLowerCase()}`}
          onClick={() => void copyText(text)}
        >
          Copy
        </button>
      </h3>
      <pre data-masked tabindex={0} aria-label={name}>
        {maskedPieces(clean).map((piece, index) =>
          piece.name === undefined ? (
            piece.text
          ) : (
            <span key={index} class="chip" data-marker={piece.text} data-name={chipName(piece.text)}>
              {piece.text}
            </span>
          ),
        )}
      </pre>
    </section>
  );
}

async function readDetail(cursor: string, signal: AbortSignal): Promise<LogDetail> {
  const response = await fetch(`/dashboard/log/${encodeURIComponent(cursor)}`, { signal });
  const body = (await response.json()) as LogDetail & { message?: string };
  if (!response.ok) throw new Error(body.message ?? 'It could not be read.');
  return body;
}
