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

interface TrieNode {
  readonly children: Map<number, TrieNode>;
  readonly depth: number;
  /** Place in breadth-first order. */
  place: number;
  failure: TrieNode | undefined;
  anchors: readonly Anchor[];
}

/** Compiles anchors into the table. Anchors are folded to lower case; all characters outside ASCII share one class. */
export function buildAutomaton(anchors: readonly Anchor[]): Automaton {
  const { classes, width } = characterClasses(anchors);
  const stride = 2 ** Math.ceil(Math.log2(width));
  const order = breadthFirst(buildTrie(anchors, classes));
  const silent = order.filter((node) => node.anchors.length === 0);
  const matching = order.filter((node) => node.anchors.length > 0);
  const depths = new Uint16Array(order.length);
  for (const [place, node] of [...silent, ...matching].entries()) {
    node.place = place * stride;
    depths[place] = node.depth;
  }
  const table = new Int32Array(order.length * stride);
  for (const node of order) {
    // A row is the failure's row, which lies nearer the root and is complete, with the node's own children over it.
    if (node.failure !== undefined) table.copyWithin(node.place, node.failure.place, node.failure.place + stride);
    for (const [symbol, child] of node.children) table[node.place + symbol] = child.place;
  }
  return {
    classes,
    table,
    stride,
    firstMatch: silent.length * stride,
    matches: matching.map((node) => node.anchors),
    depths,
  };
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

function newNode(depth: number): TrieNode {
  return { children: new Map(), depth, place: 0, failure: undefined, anchors: [] };
}

function buildTrie(anchors: readonly Anchor[], classes: Uint8Array): TrieNode {
  const root = newNode(0);
  for (const anchor of anchors) {
    let node = root;
    for (let index = 0; index < anchor.text.length; index++) {
      const symbol = classes[anchor.text.charCodeAt(index)] ?? 0;
      const child = node.children.get(symbol) ?? newNode(index + 1);
      node.children.set(symbol, child);
      node = child;
    }
    node.anchors = [...node.anchors, anchor];
  }
  return root;
}

/** Links every node to its longest proper suffix and inherits that suffix's anchors; nodes nearest the root first. */
function breadthFirst(root: TrieNode): TrieNode[] {
  const order = [root];
  for (const node of order) {
    for (const [symbol, child] of node.children) {
      let suffix = node.failure;
      while (suffix !== undefined && !suffix.children.has(symbol)) suffix = suffix.failure;
      child.failure = suffix?.children.get(symbol) ?? root;
      if (child.failure.anchors.length > 0) child.anchors = [...child.anchors, ...child.failure.anchors];
      order.push(child);
    }
  }
  return order;
}
