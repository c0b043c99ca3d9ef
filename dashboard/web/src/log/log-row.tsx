import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { maskedValues } from '@lontar/shared/log-filter.ts';
import { Component } from 'preact';
import { openRow } from '../page/panels.ts';
import { formatClock, formatCount, formatDateTime, formatMs } from '../tiles/format.ts';
import { language } from '../words/language.ts';
import { log } from '../words/log.ts';
import { OUTCOME_ICONS, outcomeTone, wordOf } from './outcomes.ts';

interface RowProps {
  readonly row: LogRow;
  /** Where there is room for it. */
  readonly withAddress?: boolean;
}

/** One line of the log. A row never changes, so that it is drawn once in each language. */
export class LogRowView extends Component<RowProps> {
  private drawnIn = language.value;

  override shouldComponentUpdate({ row }: RowProps): boolean {
    const isOther = this.drawnIn !== language.value;
    this.drawnIn = language.value;
    return isOther || row !== this.props.row;
  }

  override render({ row, withAddress = false }: RowProps) {
    const open = () => {
      // Who selects text in a row does not mean to open it.
      if (getSelection()?.isCollapsed !== false) openRow(row.cursor);
    };
    return (
      <div role="row" class="row" onClick={open}>
        <span role="cell" class="time" title={new Date(row.at).toISOString()}>
          {withAddress ? formatMoment(row.at) : formatClock(row.at)}
        </span>
        <span role="cell" class="outcome" title={outcomeOf(row)}>
          <OutcomeWord row={row} />
        </span>
        <span role="cell" class="id">
          <button
            type="button"
            class="link"
            title={row.id}
            onClick={(event) => (event.stopPropagation(), openRow(row.cursor))}
          >
            {row.id}
          </button>
        </span>
        <span role="cell" class="key" title={row.keyId}>
          {row.keyName ?? row.keyId ?? '–'}
        </span>
        {withAddress && (
          <span role="cell" class="address" title={row.address}>
            {row.address}
          </span>
        )}
        <span role="cell" class="route" title={row.route}>
          {row.route}
        </span>
        <span role="cell" class="model" title={row.model}>
          {row.model ?? '–'}
        </span>
        <span role="cell" class="ms">
          {formatMs(row.ms)}
        </span>
        <span role="cell" class="tokens" title={tokensOf(row)}>
          {tokensOf(row) ?? '–'}
        </span>
        <span role="cell" class="mask">
          <MaskBadge row={row} />
        </span>
      </div>
    );
  }
}

/** The time of today's rows, the day and time of earlier ones. */
function formatMoment(at: number): string {
  const [now, then] = [formatDateTime(Date.now()), formatDateTime(at)];
  return now.slice(0, 10) === then.slice(0, 10) ? formatClock(at) : then.slice(5, 16);
}

function tokensOf({ tokens }: LogRow): string | undefined {
  return tokens && `${formatCount(tokens.input)} → ${formatCount(tokens.output)}`;
}

/** All that stands in the column of the outcome, which may be too narrow for it. */
function outcomeOf(row: LogRow): string {
  const { cut, charged } = log();
  const more = [
    row.finishReason === 'length' ? cut : '',
    row.charged === true && row.outcome !== 'success' ? charged : '',
    row.count === undefined ? '' : `× ${formatCount(row.count)}`,
  ];
  return [wordOf(row), row.status, ...more].filter((part) => part !== '').join(' ');
}

/** How a request ended, as icon and word. */
export function OutcomeWord({ row }: { readonly row: LogRow }) {
  const words = log();
  return (
    <span class={`word ${outcomeTone(row.outcome)}`}>
      <span aria-hidden="true">{OUTCOME_ICONS[row.outcome]}</span> {wordOf(row)}
      <span class="status"> {row.status}</span>
      {row.finishReason === 'length' && (
        <span class="status" title={words.cutWhy}>
          {' '}
          {words.cut}
        </span>
      )}
      {row.charged === true && row.outcome !== 'success' && <span class="status"> {words.charged}</span>}
      {row.count !== undefined && (
        <span class="status" title={words.countWhy}>
          {' '}
          × {formatCount(row.count)}
        </span>
      )}
    </span>
  );
}

/** `Normal` or `Secured (2)`; nothing where there was no answer to mask. */
export function MaskBadge({ row }: { readonly row: Pick<LogRow, 'masked' | 'outcome'> }) {
  if (row.masked === undefined) return <span class="none">–</span>;
  const values = maskedValues(row);
  if (values === 0) return <span class="badge">{log().normal}</span>;
  return <span class="badge secured">{log().secured(formatCount(values))}</span>;
}
