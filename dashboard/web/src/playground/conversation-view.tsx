import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { playground } from '../words/playground.ts';
import { AnswerView } from './answer-view.tsx';
import {
  draft,
  isAnswering,
  lastAnswer,
  MOST_TURNS,
  openCalls,
  send,
  sendResults,
  settings,
  startAnew,
  stop,
  type Turn,
  turns,
} from './playground-state.ts';

/** Nearer to the end than this, px, the reader follows what grows. */
const NEAR_PX = 60;

/** What was said, and what is said next. */
export function ConversationView() {
  const words = playground();
  return (
    <section class="conversation" aria-label={words.conversation}>
      <div class="card-head">
        <h2>{words.conversation}</h2>
        {turns.value.length > 0 && (
          <button type="button" class="quiet" onClick={startAnew}>
            {words.startAnew}
          </button>
        )}
      </div>
      <Turns />
      <Composer />
      <p class="off-screen" role="status">
        {isAnswering.value ? words.answering : lastAnswer.value?.state === 'whole' ? words.answered : ''}
      </p>
    </section>
  );
}

function Turns() {
  const list = useRef<HTMLDivElement>(null);
  const seen = useRef({ follows: true, top: 0, height: 0 });
  const isEmpty = turns.value.length === 0;
  useEffect(() => {
    const frame = list.current;
    const said = frame?.firstElementChild ?? undefined;
    if (frame === null || said === undefined) return undefined;
    // Whatever makes it longer: a turn, words that come, or Markdown that is drawn later.
    const growth = new ResizeObserver(() => {
      if (seen.current.follows) frame.scrollTo({ top: frame.scrollHeight });
    });
    growth.observe(said);
    return () => growth.disconnect();
  }, [isEmpty]);
  if (isEmpty) return <Examples />;
  const look = ({ currentTarget: frame }: { readonly currentTarget: HTMLElement }) => {
    const { scrollTop: top, scrollHeight: height, clientHeight } = frame;
    const isNear = height - top - clientHeight < NEAR_PX;
    // Only the reader scrolls up; what is drawn anew may be shorter for a moment.
    const isLeft = top < seen.current.top && height >= seen.current.height;
    seen.current = { follows: isNear || (seen.current.follows && !isLeft), top, height };
  };
  return (
    <div class="turns" ref={list} tabindex={0} role="region" aria-label={playground().conversation} onScroll={look}>
      <ol>
        {turns.value.map((turn, index) => (
          <TurnView key={index} turn={turn} isLast={index === turns.value.length - 1} />
        ))}
      </ol>
    </div>
  );
}

function TurnView({ turn, isLast }: { readonly turn: Turn; readonly isLast: boolean }) {
  const words = playground();
  if (turn.by === 'model') {
    return (
      <li class="turn model">
        <h3>{turn.answer.model ?? words.model}</h3>
        <AnswerView answer={turn.answer} isLast={isLast} />
      </li>
    );
  }
  const texts = turn.by === 'reader' ? [turn.text] : turn.results.map(({ call, text }) => `${call.name}: ${text}`);
  return (
    <li class="turn reader">
      <h3>{turn.by === 'reader' ? words.you : words.tools}</h3>
      {texts.map((text, index) => (
        <p class="said" key={index}>
          {text}
        </p>
      ))}
    </li>
  );
}

function Examples() {
  const words = playground();
  return (
    <div class="turns none">
      <p class="hint">{words.empty}</p>
      <p class="examples">
        {Object.values(words.examples).map((example) => (
          <button
            key={example}
            type="button"
            onClick={() => {
              draft.value = example;
              document.querySelector<HTMLElement>('#prompt')?.focus();
            }}
          >
            {example}
          </button>
        ))}
      </p>
    </div>
  );
}

function Composer() {
  const words = playground();
  const lacksKey = useSignal(false);
  const needsKey = () => {
    lacksKey.value = settings.value.key === '';
    if (lacksKey.value) document.querySelector<HTMLElement>('#key')?.focus();
    return lacksKey.value;
  };
  const submit = () => {
    if (!needsKey()) void send();
  };
  if (turns.value.length >= MOST_TURNS) return <p class="hint">{words.full}</p>;
  return (
    <>
      {openCalls.value.length > 0 && <ToolResults needsKey={needsKey} />}
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label>
          <span class="off-screen">{words.prompt}</span>
          <textarea
            id="prompt"
            rows={3}
            placeholder={words.prompt}
            value={draft.value}
            onInput={({ currentTarget }) => {
              draft.value = currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              submit();
            }}
          />
        </label>
        <p class="actions">
          {isAnswering.value ? (
            <button type="button" onClick={stop}>
              {words.stop}
            </button>
          ) : (
            <button type="submit" class="primary" disabled={draft.value.trim() === ''}>
              {words.send}
            </button>
          )}
          <span class="hint">{words.promptHint}</span>
          <span class="fault" role="alert">
            {lacksKey.value && settings.value.key === '' ? `▲ ${words.keyMissing}` : ''}
          </span>
        </p>
      </form>
    </>
  );
}

/** The model waits for what its tools say: the reader plays them. */
function ToolResults({ needsKey }: { readonly needsKey: () => boolean }) {
  const words = playground();
  const calls = openCalls.value;
  const typed = useSignal<Readonly<Record<string, string>>>({});
  return (
    <form
      class="composer results"
      onSubmit={(event) => {
        event.preventDefault();
        if (!needsKey()) void sendResults(calls.map((call) => ({ call, text: typed.value[call.id] ?? '' })));
      }}
    >
      {calls.map(({ id, name }) => (
        <label key={id}>
          {words.toolSays(name)}
          <textarea
            rows={2}
            value={typed.value[id] ?? ''}
            onInput={({ currentTarget }) => {
              typed.value = { ...typed.value, [id]: currentTarget.value };
            }}
          />
        </label>
      ))}
      <p class="actions">
        <button type="submit">{words.sendResults}</button>
      </p>
    </form>
  );
}
