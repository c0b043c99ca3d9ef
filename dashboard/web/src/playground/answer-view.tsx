import { copyText } from '../clipboard/copy.ts';
import { MaskedText } from '../clipboard/masked-text.tsx';
import { signedIn } from '../live/live-state.ts';
import { maskedByType } from '../log/outcomes.ts';
import { addressOf } from '../page/place.ts';
import { formatCount, formatMs } from '../tiles/format.ts';
import { playground } from '../words/playground.ts';
import type { ToolCall } from './call.ts';
import { type Answer, type Problem, tokensPerSecond } from './grow-answer.ts';
import { Markdown } from './markdown.tsx';
import { regenerate } from './playground-state.ts';

/** An answer as far as it has come, and what is known of it. */
export function AnswerView({ answer, isLast }: { readonly answer: Answer; readonly isLast: boolean }) {
  const words = playground();
  const { state, text, reasoning, calls, problem, isCut } = answer;
  const isOver = state !== 'waiting' && state !== 'growing';
  return (
    <div class="said" aria-busy={!isOver}>
      {reasoning !== '' && (
        <details>
          <summary>{words.reasoning}</summary>
          <pre class="thoughts" data-masked tabindex={0} aria-label={words.reasoning}>
            <MaskedText text={reasoning} />
          </pre>
        </details>
      )}
      {state === 'waiting' && reasoning === '' && <p class="hint">{words.waiting}</p>}
      {text !== '' && <Markdown text={text} isGrowing={!isOver} />}
      {calls.map((call) => (
        <CallView key={call.id} {...call} />
      ))}
      {isCut && <p class="fault">▲ {words.cut}</p>}
      {problem && <ProblemView {...problem} />}
      {isOver && <Facts answer={answer} />}
      {isOver && (
        <p class="actions">
          {text !== '' && (
            <button type="button" class="quiet" aria-label={words.copyAnswer} onClick={() => void copyText(text)}>
              {words.copy}
            </button>
          )}
          {isLast && (
            <button type="button" class="quiet" onClick={() => void regenerate()}>
              {words.regenerate}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function CallView({ name, arguments: given }: ToolCall) {
  return (
    <div class="call">
      <h4>{playground().calls(name)}</h4>
      <pre data-masked tabindex={0} aria-label={playground().calls(name)}>
        <MaskedText text={laidOut(given)} />
      </pre>
    </div>
  );
}

/** What is wrong, in words of the reader's language, then as the service said it. */
function ProblemView({ code, status, message, retryAfter }: Problem) {
  const { problems, retryIn } = playground();
  const known = Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : problems.other;
  const codes = status === undefined ? code : `HTTP ${status}, ${code}`;
  return (
    <div class="problem" role="alert">
      <p class="fault">
        <strong>▲ {known}</strong> <code>{codes}</code>
      </p>
      <p>
        {message} {retryAfter === undefined ? '' : retryIn(formatCount(retryAfter))}
      </p>
    </div>
  );
}

function Facts({ answer }: { readonly answer: Answer }) {
  const words = playground();
  const { state, masked, kinds, firstMs, ms, usage, finishReason, requestId } = answer;
  const finish = Object.hasOwn(words.finish, finishReason ?? '')
    ? words.finish[finishReason as keyof typeof words.finish]
    : finishReason;
  const perSecond = tokensPerSecond(answer);
  const facts = [
    firstMs !== undefined && `${words.facts.first} ${formatMs(firstMs)}`,
    ms !== undefined && `${words.facts.whole} ${formatMs(ms)}`,
    usage &&
      `${formatCount(usage.prompt)} ${words.facts.tokensIn}, ${formatCount(usage.completion)} ${words.facts.tokensOut}${usage.isEstimated ? ` (${words.facts.estimated})` : ''}`,
    perSecond !== undefined && `${formatCount(Math.round(perSecond))} ${words.facts.perSecond}`,
    state === 'stopped' ? words.stopped : state === 'failed' ? undefined : finish,
  ].filter((fact) => typeof fact === 'string');
  return (
    <p class="answer-facts">
      {masked !== undefined && (
        <span class={masked > 0 ? 'badge secured' : 'badge'} title={kinds && maskedByType(kinds)}>
          {masked > 0 ? words.secured(formatCount(masked)) : words.normal}
        </span>
      )}
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {requestId !== undefined && <RequestLink id={requestId} />}
    </p>
  );
}

function RequestLink({ id }: { readonly id: string }) {
  if (!signedIn.value) return <code>{id}</code>;
  return (
    <a href={addressOf('/requests', new URLSearchParams({ q: id }))} aria-label={`${playground().facts.request} ${id}`}>
      <code>{id}</code>
    </a>
  );
}

/** JSON, easier to read; what is none stays as it is. */
function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
