import { CODE, DOT, WORD } from '../characters.ts';
import type { Verify } from '../finding.ts';
import type { Memory } from '../memory.ts';
import { isPlaceholder } from '../placeholder.ts';
import type { TextWindow } from '../text-window.ts';
import { drawn, type Rule } from './rule.ts';

/** Verifies at `LoginModule required`: a JAAS entry up to its semicolon. */
const verifyJaas: Verify = (window, start, end) => {
  const from = window.runBefore(start, WORD | DOT, 120);
  let password = false;
  for (let index = end; index < end + 600; index++) {
    const code = window.at(index);
    if (code < 0) return undefined;
    if (code === CODE.p && window.matches(index, 'password='))
      password = !isPlaceholder(window.peek(index + 9, 15).replace(/^\\?["']/, ''));
    if (code === CODE.semicolon) return password ? { start: from, end: index + 1 } : undefined;
  }
  return undefined;
};

/** How far a descriptor is read, characters. */
const LONGEST_DESCRIPTOR = 1_500;
/** What is remembered of brackets is begun anew here, so that it takes bounded memory. */
const MOST_BRACKETS = 4_096;

/**
 * Brackets and hosts of the text between `from` and `until`, read once for all descriptors that begin inside it: a text
 * may begin one every few characters.
 */
class Brackets {
  private from = 0;
  private until = 0;
  private open: number[] = [];
  /** Where the brackets end that are closed. */
  private closed = new Map<number, number>();
  private lastHost = -1;
  /** For brackets that are closed: the last host before their end. */
  private hosts = new Map<number, number>();

  forget(): void {
    this.begin(0);
  }

  /** The end of the descriptor at `start` that holds a host, or -1. */
  endOf(window: TextWindow, start: number): number {
    if (start < this.from || start >= this.until || this.closed.size + this.open.length > MOST_BRACKETS)
      this.begin(start);
    const stop = start + LONGEST_DESCRIPTOR;
    while (!this.closed.has(start) && this.until < stop) {
      const code = window.at(this.until);
      if (code === CODE.h || code === CODE.H) this.readHost(window, this.until);
      if (window.starved || code < 0) return -1;
      if (code === CODE.openParenthesis) this.open.push(this.until);
      else if (code === CODE.closeParenthesis) this.close(this.until);
      this.until++;
    }
    const end = this.closed.get(start) ?? stop;
    return end < stop && (this.hosts.get(start) ?? -1) > start ? end + 1 : -1;
  }

  private begin(from: number): void {
    this.from = from;
    this.until = from;
    this.open = [];
    this.closed.clear();
    this.hosts.clear();
    this.lastHost = -1;
  }

  private readHost(window: TextWindow, at: number): void {
    if (window.matches(at, 'host') && HOST.test(window.peek(at, LONGEST_HOST))) this.lastHost = at;
  }

  private close(at: number): void {
    const opened = this.open.pop();
    if (opened === undefined) return;
    this.closed.set(opened, at);
    this.hosts.set(opened, this.lastHost);
  }
}

const BRACKETS: Memory<Brackets> = { begin: () => new Brackets(), forget: (brackets) => brackets.forget() };
const HOST = /^host\s*=\s*[a-z0-9]/i;
const LONGEST_HOST = 24;

/** Verifies at `(DESCRIPTION=`: an Oracle net service descriptor up to its closing bracket. */
const verifyOracleDescriptor: Verify = (window, start) => {
  const end = window.remembered(BRACKETS).endOf(window, start);
  return end < 0 ? undefined : { start, end };
};

/** Connection strings in blocks with an end of their own. */
export const CONNECTION_BLOCK_RULES: readonly Rule[] = [
  {
    name: 'oracle-descriptor',
    type: 'connection',
    anchors: ['(description=', '(description ='],
    verify: verifyOracleDescriptor,
    source:
      'https://docs.oracle.com/en/database/oracle/oracle-database/23/netrf/local-naming-parameters-in-tns-ora-file.html',
    masks: ['(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=ora.example.com)(PORT=1521)))'],
    keeps: ['(DESCRIPTION=text)'],
  },
  {
    name: 'jaas',
    type: 'connection',
    anchors: ['loginmodule required'],
    verify: verifyJaas,
    source: 'https://kafka.apache.org/documentation/#security_sasl_jaasconfig',
    masks: [`PlainLoginModule required username="kopi" password="${drawn}";`],
    keeps: ['PlainLoginModule required username="kopi";'],
  },
];
