import type { Anchor } from './finding.ts';

/**
 * An Aho-Corasick automaton as one flat table: `table[state + class]` is the next state. States are multiplied by the
 * stride, and those that complete an anchor are numbered last, so that the scan needs one comparison a character.
 */
export interface Automaton {
  readonly classes: Uint8Array;
  readonly table: Int32Array;
  readonly stride: number;
  /** States from here on complete an anchor. */
  readonly firstMatch: number;
  /** Anchors completed by a state, longest first; indexed by (state - firstMatch) / stride. */
  readonly matches: readonly (readonly Anchor[])[];
  /** Length of the longest anchor beginning that ends in a state; indexed by state / stride. */
  readonly depths: Uint16Array;
}

interface Trie {
  readonly next: Int32Array;
  readonly own: Anchor[][];
  readonly depths: number[];
  count: number;
}

/** Compiles anchors into the table. Anchors are folded to lower case; all characters outside ASCII share one class. */
export function buildAutomaton(anchors: readonly Anchor[]): Automaton {
  const { classes, width } = characterClasses(anchors);
  const stride = 2 ** Math.ceil(Math.log2(width));
  const trie = buildTrie(anchors, classes, stride);
  const order = linkFailures(trie, stride);
  return renumber(trie, order, classes, stride);
}

function characterClasses(anchors: readonly Anchor[]): { classes: Uint8Array; width: number } {
  const classes = new Uint8Array(65_536);
  let width = 1;
  for (const { text } of anchors) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) {
        if (classes[128] === 0) classes.fill(width++, 128);
      } else if (classes[code] === 0) {
        classes[code] = width++;
      }
    }
  }
  for (let upper = 65; upper <= 90; upper++) classes[upper] = classes[upper + 32] ?? 0;
  return { classes, width };
}

function buildTrie(anchors: readonly Anchor[], classes: Uint8Array, stride: number): Trie {
  const size = anchors.reduce((sum, { text }) => sum + text.length, 1);
  const trie: Trie = { next: new Int32Array(size * stride), own: [[]], depths: [0], count: 1 };
  for (const anchor of anchors) {
    let state = 0;
    for (let index = 0; index < anchor.text.length; index++) {
      const cell = state * stride + (classes[anchor.text.charCodeAt(index)] ?? 0);
      if (trie.next[cell] === 0) {
        trie.depths[trie.count] = index + 1;
        trie.own[trie.count] = [];
        trie.next[cell] = trie.count++;
      }
      state = trie.next[cell] ?? 0;
    }
    trie.own[state]?.push(anchor);
  }
  return trie;
}

/** Fills in the transitions that leave the trie and inherits matches from suffixes; returns states breadth first. */
function linkFailures(trie: Trie, stride: number): number[] {
  const { next, own } = trie;
  const failures = new Int32Array(trie.count);
  const order = [0];
  for (let head = 0; head < order.length; head++) {
    const state = order[head] ?? 0;
    const failure = failures[state] ?? 0;
    if (state !== 0) own[state] = [...(own[state] ?? []), ...(own[failure] ?? [])];
    for (let symbol = 0; symbol < stride; symbol++) {
      const child = next[state * stride + symbol] ?? 0;
      const fallback = state === 0 ? 0 : (next[failure * stride + symbol] ?? 0);
      if (child === 0) {
        next[state * stride + symbol] = fallback;
      } else {
        failures[child] = fallback;
        order.push(child);
      }
    }
  }
  return order;
}

function renumber(trie: Trie, order: readonly number[], classes: Uint8Array, stride: number): Automaton {
  const silent = order.filter((state) => trie.own[state]?.length === 0);
  const matching = order.filter((state) => trie.own[state]?.length !== 0);
  const places = new Int32Array(trie.count);
  const depths = new Uint16Array(trie.count);
  for (const [place, state] of [...silent, ...matching].entries()) {
    places[state] = place;
    depths[place] = trie.depths[state] ?? 0;
  }
  const table = new Int32Array(trie.count * stride);
  for (let state = 0; state < trie.count; state++) {
    const to = (places[state] ?? 0) * stride;
    for (let symbol = 0; symbol < stride; symbol++) {
      table[to + symbol] = (places[trie.next[state * stride + symbol] ?? 0] ?? 0) * stride;
    }
  }
  const matches = matching.map((state) => trie.own[state] ?? []);
  return { classes, table, stride, firstMatch: silent.length * stride, matches, depths };
}
